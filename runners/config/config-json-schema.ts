import * as z from 'zod';
import type { Option } from './option.js';
import { computed, environmentName, required } from './option.js';
import { options, roleOptions } from './option-table.js';

type Schema = { [key: string]: unknown };

/** The JSON schema (2020-12) of the configuration file, for editors. */
export function configJsonSchema(): Schema {
  const root = objectSchema('Configuration of `talaria run`');
  root['$schema'] = 'https://json-schema.org/draft/2020-12/schema';
  const properties = root['properties'] as Schema;
  properties['extends'] = {
    type: 'string',
    description: 'A file that this one builds on, relative to it',
  };
  for (const option of options) {
    const [head = '', tail] = option.key.split('.');
    if (tail === undefined) {
      properties[head] = schemaOf(option);
    } else {
      properties[head] ??= objectSchema(`Options of ${head}`);
      ((properties[head] as Schema)['properties'] as Schema)[tail] = schemaOf(option);
    }
  }
  // An environment may have options of its own.
  (properties['environment'] as Schema)['additionalProperties'] = true;
  const role = objectSchema('A model of another role');
  role['properties'] = Object.fromEntries(
    [...roleOptions].map(([name, option]) => [name, schemaOf(option)]),
  );
  properties['models'] = {
    type: 'object',
    description: 'Models of other roles, for example judge',
    additionalProperties: role,
  };
  return root;
}

function objectSchema(description: string): Schema {
  return { type: 'object', description, properties: {}, additionalProperties: false };
}

/** Accepts `${VARIABLE}` in place of any value, as the reader does. */
function schemaOf(option: Option): Schema {
  const { $schema, ...schema } = z.toJSONSchema(option.type.schema(z), {
    io: 'input',
    unrepresentable: 'any',
  }) as Schema;
  void $schema;
  return {
    description: `${option.help}. Environment variable: ${environmentName(option.key)}`,
    ...(option.fallback === computed || option.fallback === required
      ? {}
      : { default: option.fallback }),
    anyOf: [schema, { type: 'string', pattern: '^\\$\\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\\}$' }],
  };
}
