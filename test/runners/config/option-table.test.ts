import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { configJsonSchema } from '../../../runners/config/config-json-schema.js';
import { computed, environmentName, required } from '../../../runners/config/option.js';
import { nearestKey, placeOfKey } from '../../../runners/config/option-keys.js';
import { options } from '../../../runners/config/option-table.js';

type Schema = { readonly [key: string]: Schema } & { readonly additionalProperties?: unknown };

describe('the option table', () => {
  it('has one meaning for each key, flag and environment variable', () => {
    const names = [
      options.map((option) => option.key),
      options.flatMap(({ flag, aliases = [] }) => (flag === null ? [] : [flag, ...aliases])),
      options.map((option) => environmentName(option.key)),
    ];
    for (const list of names) {
      expect(new Set(list).size).toBe(list.length);
    }
  });

  it.each(options.map((option) => [option.key, option] as const))(
    '%s has a default of its own type, and help of one line',
    (_key, option) => {
      expect(option.help).toMatch(/^\S[^\n]*[^.\n]$/);
      if (option.fallback !== computed && option.fallback !== required) {
        expect(option.type.schema(z).safeParse(option.fallback).success).toBe(true);
      }
    },
  );

  it('turns seconds into milliseconds for every key that ends in _s, and for no other', () => {
    expect(options.filter((option) => option.seconds === true).map((option) => option.key)).toEqual(
      options.map((option) => option.key).filter((key) => key.endsWith('_s')),
    );
  });

  it('treats as identity what makes a run, and nothing that only carries it out', () => {
    const identity = options.filter((option) => option.identity).map((option) => option.key);
    for (const key of [
      'model.use',
      'model.temperature',
      'agent.system_prompt',
      'agent.max_turns',
    ]) {
      expect(identity).toContain(key);
    }
    for (const key of ['toolsets.enabled', 'sandbox.image', 'sandbox.network', 'run.seed']) {
      expect(identity).toContain(key);
    }
    for (const key of ['model.base_url', 'model.api_key_env', 'run.samples', 'run.concurrency']) {
      expect(identity).not.toContain(key);
    }
    for (const key of ['run.max_cost_usd', 'rewards', 'export', 'environment.path', 'run.limit']) {
      expect(identity).not.toContain(key);
    }
  });

  it('finds the key that was meant: a sibling, or the same word in another section', () => {
    expect(nearestKey('agent.max_turn')).toBe('agent.max_turns');
    expect(nearestKey('max_turns')).toBe('agent.max_turns');
    expect(nearestKey('modle')).toBe('model');
    expect(nearestKey('run.temperature')).toBe('model.temperature');
    expect(nearestKey('models.judge.bas_url')).toBe('models.judge.base_url');
    expect(nearestKey('qqqqqqqqqqq')).toBeNull();
  });

  it('knows the keys of other roles by those of model', () => {
    expect(placeOfKey('models.judge.timeout_s').kind).toBe('option');
    expect(placeOfKey('models.judge.reasoning_effort').kind).toBe('option');
    expect(placeOfKey('models.judge').kind).toBe('section');
    expect(placeOfKey('models.judge.nonsense').kind).toBe('unknown');
  });
});

describe('the JSON schema of the configuration file', () => {
  const schema = configJsonSchema() as Schema;

  it('describes every option and refuses unknown keys', () => {
    for (const { key } of options) {
      const [head = '', tail] = key.split('.');
      const section = schema['properties']?.[head];
      const found = tail === undefined ? section : section?.['properties']?.[tail];
      expect(found?.['description'], key).toBeTruthy();
    }
    expect(schema.additionalProperties).toBe(false);
    expect(schema['properties']?.['agent']?.additionalProperties).toBe(false);
  });

  it('lets an environment have options of its own', () => {
    expect(schema['properties']?.['environment']?.additionalProperties).toBe(true);
  });
});
