import { availableParallelism } from 'node:os';
import { basename, extname, resolve } from 'node:path';
import type { RecordsConfig } from '../../environments/rollout-config.js';
import type { AgentConfig } from '../../src/agent/agent.js';
import { usageError } from '../../src/errors.js';
import type { SandboxConfig } from '../../src/sandbox/sandbox.js';
import { builtInCatalog } from './built-in-catalog.js';
import type { ConfigCatalog } from './config-catalog.js';
import { configYaml } from './config-yaml.js';
import { identityOf } from './identity.js';
import { isPiped } from './is-piped.js';
import { optionTable } from './option-table.js';
import { OptionValues } from './option-values.js';
import { type FlagSetting, readSettings } from './read-settings.js';
import { resolveEnvironment } from './resolve-environment.js';
import { offlineProviders, providerOf, resolveModel } from './resolve-model.js';
import { resolveExports, resolveRewards } from './resolve-names.js';
import { resolveToolsets } from './resolve-toolsets.js';
import type { ResolvedConfig, RunConfig } from './resolved-config.js';

/** Where a configuration comes from. Nothing else is read: not the process, not its environment. */
export interface ConfigInput {
  /** The configuration file, or null on the path without one. */
  readonly file: string | null;
  /** `key=value` of each `--set`. */
  readonly sets: readonly string[];
  readonly flags: readonly FlagSetting[];
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  /** An API key given on the command line. @default null */
  readonly apiKey?: string | null;
  /** @default what this build has */
  readonly catalog?: ConfigCatalog;
  /** @default the number of cores */
  readonly cores?: number;
}

/**
 * Reads, checks and fills in a configuration. Throws a TalariaError (`usage`, `config`) that says what was expected,
 * what was found and where it stands.
 */
export async function resolveConfig(input: ConfigInput): Promise<ResolvedConfig> {
  const { file, env, cwd, catalog = builtInCatalog } = input;
  const settings = await readSettings(input);
  const values = new OptionValues(settings);

  const environment = resolveEnvironment(values, settings, catalog);
  const cores = input.cores ?? availableParallelism();
  const run = resolveRun(values, cores);
  const shared = {
    values,
    env,
    providers: catalog.providers,
    connections: Math.ceil(run.concurrency / run.threads),
  };
  const model = resolveModel({ ...shared, role: null, apiKey: input.apiKey ?? null });
  const models = Object.fromEntries(
    rolesOf(settings).map((role) => [role, resolveModel({ ...shared, role, apiKey: null })]),
  );
  const name = resolveName(values, file, environment.path);
  const toolsets = await resolveToolsets(values, catalog);
  const rewards = resolveRewards(values, catalog);
  const exports = await resolveExports(values, catalog);
  const out = values.get(optionTable.top.out) ?? resolve(cwd, 'runs', name);
  values.put('out', out);
  return deepFreeze({
    name,
    out,
    environment,
    model,
    models,
    agent: resolveAgent(values),
    toolsets,
    sandbox: resolveSandbox(values, cores),
    run,
    rewards,
    verify: values.get(optionTable.top.verify) ?? null,
    rewardTimeoutMs: (values.get(optionTable.top.rewardTimeoutMs) ?? 0) * 1000,
    records: resolveRecords(values, providerOf(model.use), file !== null),
    export: exports,
    identity: identityOf(values, settings, toolsets),
    yaml: configYaml(values, settings),
  });
}

function resolveAgent(values: OptionValues): AgentConfig {
  const { deadlineMs, maxWallMs } = optionTable.agent;
  const deadline = values.get(deadlineMs) ?? 0;
  if (values.get(maxWallMs) === undefined) {
    values.put(maxWallMs.key, deadline + 600);
  }
  return values.section<AgentConfig>(optionTable.agent) as AgentConfig;
}

function resolveSandbox(values: OptionValues, cores: number): SandboxConfig {
  const { maxParallelExec } = optionTable.sandbox;
  if (values.get(maxParallelExec) === undefined) {
    values.put(maxParallelExec.key, 2 * cores);
  }
  return values.section<SandboxConfig>(optionTable.sandbox) as SandboxConfig;
}

function resolveRun(values: OptionValues, cores: number): RunConfig {
  const { threads, concurrency } = optionTable.run;
  const atOnce = values.get(concurrency) ?? 1;
  const wanted = values.get(threads) ?? Math.max(1, Math.min(cores - 1, 4));
  values.put('run.threads', Math.min(wanted, atOnce));
  return values.section<RunConfig>(optionTable.run) as RunConfig;
}

function resolveRecords(values: OptionValues, provider: string, hasFile: boolean): RecordsConfig {
  const { requireReasoning } = optionTable.records;
  if (offlineProviders.includes(provider)) {
    values.get(requireReasoning); // A bad value is an error all the same.
    values.put(requireReasoning.key, 'off');
  } else if (values.get(requireReasoning) === undefined) {
    values.put(requireReasoning.key, hasFile ? 'tag' : 'discard');
  }
  return values.section<RecordsConfig>(optionTable.records) as RecordsConfig;
}

function resolveName(values: OptionValues, file: string | null, dataSet: string | null): string {
  const option = optionTable.top.name;
  const given = values.get(option);
  if (given !== undefined) {
    return given;
  }
  // The name of a pipe says nothing.
  const source = file === null || isPiped(file) ? dataSet : file;
  const stem = source === null ? '' : basename(source, extname(source));
  const name = stem.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  if (name === '') {
    throw usageError(
      'The run has no name, since there is neither a configuration file nor a data set to take it from: give --dataset PATH, or a name with --name.',
    );
  }
  values.put(option.key, name);
  return name;
}

function rolesOf(settings: ReadonlyMap<string, unknown>): readonly string[] {
  return [
    ...new Set(
      [...settings.keys()].flatMap((key) => {
        const [head, role] = key.split('.');
        return head === 'models' && role !== undefined ? [role] : [];
      }),
    ),
  ];
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
