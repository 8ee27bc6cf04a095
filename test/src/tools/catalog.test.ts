import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildToolCatalog } from '../../../src/tools/build-tool-catalog.js';
import { loadToolCatalog } from '../../../src/tools/catalog.js';
import type { Tool } from '../../../src/tools/tool.js';
import { toolSchema } from '../../../src/tools/tool-schema.js';

const tool = (name: string, extra: Partial<Tool> = {}): Tool => ({
  name,
  toolset: 'test',
  description: 'Does nothing.',
  parameters: z.strictObject({}),
  effect: 'read',
  needsSandbox: false,
  execute: async () => ({ content: '', ok: true }),
  ...extra,
});

describe('the built-in tools', () => {
  test('are offered under the names and toolsets that models know', async () => {
    const { toolsets, unavailable } = await loadToolCatalog();
    const names = [...toolsets].map(([toolset, tools]) => [toolset, tools.map(({ name }) => name)]);
    expect(Object.fromEntries(names)).toEqual({
      terminal: ['terminal'],
      file: ['patch', 'read_file', 'search_files', 'write_file'],
      todo: ['todo'],
    });
    expect([...(unavailable ?? [])]).toEqual([]);
  });

  test('take the arguments that models know, the same ones required', async () => {
    const { schemas } = await loadToolCatalog();
    const args = [...schemas.values()].map(({ name, parameters }) => {
      const { properties, required } = parameters as { properties: object; required?: string[] };
      return [name, [Object.keys(properties).join(' '), required?.join(' ') ?? '']];
    });
    expect(Object.fromEntries(args)).toEqual({
      terminal: ['command timeout workdir', 'command'],
      read_file: ['path offset limit', 'path'],
      write_file: ['path content', 'path content'],
      patch: ['mode path old_string new_string replace_all', 'path old_string new_string'],
      search_files: ['pattern target path file_glob limit offset output_mode context', 'pattern'],
      todo: ['todos merge', ''],
    });
  });

  test('have a schema that servers accept: strict objects, no dialect, each argument described', async () => {
    const { schemas } = await loadToolCatalog();
    for (const { name, parameters, description } of schemas.values()) {
      expect(parameters['type']).toBe('object');
      expect(parameters['additionalProperties']).toBe(false);
      expect(JSON.stringify(parameters)).not.toMatch(/\$schema|\$ref|9007199254740991/);
      for (const property of Object.values(parameters['properties'] ?? {})) {
        expect(property, name).toHaveProperty('description');
      }
      expect(description.length).toBeGreaterThan(40);
    }
  });
});

describe('a catalog', () => {
  test('leaves out a tool that is not available here, and keeps why', async () => {
    const { tools, toolsets, schemas, unavailable } = await loadToolCatalog({
      good: async () => tool('good'),
      no: async () => tool('no', { toolset: 'other', unavailable: async () => 'needs a key' }),
      broken: async () => tool('broken', { unavailable: () => Promise.reject(new Error('boom')) }),
      yes: async () => tool('yes', { unavailable: async () => null }),
    });
    expect([...tools.keys()]).toEqual(['good', 'yes']);
    expect([...toolsets.keys()]).toEqual(['test']);
    expect([...schemas.keys()]).toEqual(['good', 'yes']);
    expect(Object.fromEntries(unavailable ?? [])).toEqual({ no: 'needs a key', broken: 'boom' });
  });

  test('refuses two tools of one name and a tool that is not named as its file', async () => {
    expect(() => buildToolCatalog([tool('a'), tool('a', { toolset: 'b' })])).toThrowError(
      /Two tools are named "a".*"test" and "b"/,
    );
    await expect(loadToolCatalog({ a: async () => tool('b') })).rejects.toThrowError(/"a".*"b"/);
  });

  test('shares schemas that nobody can change', () => {
    const { schemas } = buildToolCatalog([
      tool('a', { parameters: z.strictObject({ list: z.array(z.enum(['x', 'y'])) }) }),
    ]);
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(schemas.get('a'))).toBe(true);
  });
});

describe('a schema', () => {
  test('says what may be sent: an argument with a default may be left out', () => {
    const parameters = z.strictObject({ a: z.string(), b: z.int().min(1).max(9).default(3) });
    expect(toolSchema(tool('x', { parameters })).parameters).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
      },
      required: ['a'],
      additionalProperties: false,
    });
  });

  test('is strict where the tool forgot to be, and refused when it is no object', () => {
    const loose = z.object({ inner: z.object({}), map: z.record(z.string(), z.int()) });
    const { parameters } = toolSchema(tool('x', { parameters: loose }));
    expect(parameters['additionalProperties']).toBe(false);
    expect(parameters['properties']).toMatchObject({
      inner: { additionalProperties: false },
      map: { additionalProperties: { type: 'integer' } },
    });
    expect(() => toolSchema(tool('x', { parameters: z.string() }))).toThrowError(/"x".*object/);
  });
});
