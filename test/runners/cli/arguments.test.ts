import { describe, expect, it } from 'vitest';
import { resumeCommand } from '../../../runners/cli/resume-command.js';
import { talaria } from './cli-fixture.js';

describe('a command line', () => {
  it.each([
    [['rnu'], 'Unknown command "rnu"; did you mean "run"?'],
    [['--verison'], 'Unknown flag "--verison"'],
    [['run', '--max-trns=3'], 'Unknown flag --max-trns; did you mean "--max-turns"?'],
    [['run', '--max_trns', '3'], 'Unknown flag --max_trns; did you mean "--max-turns"?'],
    [['run', '-x'], 'Unknown flag -x.'],
    [['run', '--max-turns'], '--max-turns needs a value.'],
    [['run', '--max-turns', '--out', 'x'], '--max-turns needs a value.'],
    [['run', '--resume=yes please'], '--resume is a switch: it takes no value, got "yes please".'],
    [
      ['run', 'a.yaml', 'b.yaml'],
      'Usage: talaria run [config.yaml] [options] (unexpected: b.yaml)',
    ],
    [['run', 'nope.yaml'], 'There is no configuration file nope.yaml.'],
    [['run', '--json', '--quiet'], 'Give either --json or --quiet, not both.'],
    [['stats'], 'Usage: talaria stats <run> [--json]'],
    [['stats', 'x', '--max-turns', '3'], 'Unknown flag --max-turns.'],
    [['export', 'x'], 'export needs --format F. There are hermes, records.'],
    [['export', 'x', '--format', 'a', '--format', 'b'], '--format is given more than once.'],
    [['list', 'tool'], 'Cannot list "tool"; did you mean "tools"?'],
  ])('%j is refused: %s', async (argv, message) => {
    const { code, stderr, stdout } = await talaria(argv);
    expect(stderr).toContain(`talaria: ${message}`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  it.each([
    [['--help'], /Commands:\n {2}run /],
    [['help', 'export'], /--format F/],
    [
      ['run', '--help'],
      /--max-turns N +Model calls of one rollout at most \[agent\.max_turns; default: 30\]/,
    ],
    [['stats', 'x', '-h'], /Usage: talaria stats/],
    [['--version'], /^\d+\.\d+\.\d+\n$/],
  ])('%j answers on stdout', async (argv, text) => {
    const { code, stdout, stderr } = await talaria(argv);
    expect(stdout).toMatch(text);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('without anything shows the help on stderr and is a usage error', async () => {
    const { code, stderr } = await talaria([]);
    expect(code).toBe(2);
    expect(stderr).toContain('Commands:');
  });

  it('names in its help no command that does not exist', async () => {
    const { stdout } = await talaria(['--help']);
    expect(stdout).not.toMatch(/bench|serve|doctor|init|score/);
  });
});

describe('the command that goes on with a run', () => {
  it('is the one that began it, or names the run directory where the configuration was piped', () => {
    expect(resumeCommand(['c.yaml', '--limit', '3'], '/runs/c')).toBe(
      'talaria run c.yaml --limit 3 --resume',
    );
    expect(resumeCommand(['-', '--limit', '3'], '/runs/c')).toBe(
      'talaria run /runs/c --limit 3 --resume',
    );
    expect(resumeCommand(['/dev/fd/63'], '/runs/c')).toBe('talaria run /runs/c --resume');
  });
});
