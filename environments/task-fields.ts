import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../src/json.js';

/** Fields that rows, task files and modules share. Null and absent are the same, as data frames write them. */

/** Text, or null. Blank text counts as absent. */
export const optionalText = z
  .string({ error: 'must be text' })
  .nullish()
  .transform((text) => (text === null || text === undefined || text.trim() === '' ? null : text));

/** A name that the user gives; a number is taken as its digits. */
export const optionalId = z
  .custom<string | number>(
    (id) =>
      typeof id === 'string' ||
      (typeof id === 'number' && (!Number.isInteger(id) || Number.isSafeInteger(id))),
    { error: 'must be text (or a number that JSON keeps exactly)' },
  )
  .nullish()
  .transform((id) => (id === null || id === undefined || id === '' ? null : String(id)));

export const textList = z
  .array(z.string({ error: 'must be text' }), { error: 'must be a list of texts' })
  .nullish()
  .transform((list) => list ?? []);

/** Shell commands: text, or a list of lines. */
export const optionalCommands = z
  .union([z.string(), z.array(z.string())], { error: 'must be text or a list of lines' })
  .nullish()
  .transform((commands) => {
    const text = Array.isArray(commands) ? commands.join('\n') : (commands ?? '');
    return text.trim() === '' ? null : text;
  });

export const optionalSeconds = z
  .number({ error: 'must be a number of seconds above 0' })
  .positive({ error: 'must be a number of seconds above 0' })
  .nullish()
  .transform((seconds) => seconds ?? null);

export const promptText = z
  .string({ error: 'must be text' })
  .refine((text) => text.trim() !== '', { error: 'must not be empty' });

export const optionalObject = z
  .custom<JsonObject>((value) => isJsonObject(value), { error: 'must be an object' })
  .nullish()
  .transform((object): JsonObject => object ?? {});
