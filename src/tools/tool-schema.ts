import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../json.js';
import type { Tool, ToolSchema } from './tool.js';

/**
 * A tool as the model is told of it. `parameters` is JSON Schema of what may be sent: arguments with a default are
 * optional, and objects take no keys but their own. Deeply frozen, since all rollouts share it. Throws when the
 * parameters cannot be written as JSON Schema or are not an object: a mistake in the tool.
 */
export function toolSchema(tool: Tool): ToolSchema {
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.parameters, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.type === 'object' && jsonSchema.additionalProperties === undefined) {
        jsonSchema.additionalProperties = false;
      }
    },
  });
  if (parameters.type !== 'object') {
    throw new TypeError(`The parameters of tool "${tool.name}" must be an object schema.`);
  }
  return freeze({
    name: tool.name,
    description: tool.description,
    parameters: parameters as JsonObject,
  });
}

function freeze<Value extends object>(value: Value): Value {
  for (const item of Object.values(value) as Json[]) {
    if (isJsonObject(item) || Array.isArray(item)) {
      freeze(item);
    }
  }
  return Object.freeze(value);
}
