import { messageOf } from '../errors.js';
import { isJsonObject, type JsonObject, parseJson } from '../json.js';
import type { ToolCall } from '../messages/message.js';
import { didYouMean, nearestName } from '../text/nearest-name.js';
import { coerceArguments } from './coerce-arguments.js';
import { describeIssues } from './describe-issues.js';
import { sanitizeError } from './sanitize-error.js';
import type { Tool } from './tool.js';
import { toolSchema } from './tool-schema.js';

/** A call that may run, or what is wrong with it. `error` instead of `invalid`: the tool's own schema is broken. */
export type PreparedCall =
  | { readonly ready: true; readonly tool: Tool; readonly args: unknown }
  | { readonly ready: false; readonly status: 'invalid' | 'error'; readonly problem: string };

/** Finds the tool of a call and checks its arguments. Never throws, runs nothing, leaves the call as it is. */
export function prepareCall(call: ToolCall, tools: ReadonlyMap<string, Tool>): PreparedCall {
  const tool = tools.get(call.name);
  if (tool === undefined) {
    return invalid(unknownTool(call.name, [...tools.keys()]));
  }
  if (call.parse_error !== undefined) {
    return invalid(notAnObject(call.name, call.parse_error));
  }
  const parsed = parseJson(call.arguments);
  if (!parsed.ok) {
    return invalid(notAnObject(call.name, parsed.error));
  }
  if (!isJsonObject(parsed.value)) {
    const kind = Array.isArray(parsed.value) ? 'a list' : `${JSON.stringify(parsed.value)}`;
    return invalid(notAnObject(call.name, `got ${kind.slice(0, 80)}`));
  }
  try {
    return validate(tool, parsed.value);
  } catch (thrown) {
    const problem = `Checking the arguments of ${tool.name} failed: ${messageOf(thrown)}`;
    return { ready: false, status: 'error', problem: sanitizeError(problem) };
  }
}

/** Arguments that are right as they stand are not touched; the others are put right where that can be done. */
function validate(tool: Tool, args: JsonObject): PreparedCall {
  const strict = tool.parameters.safeParse(args);
  if (strict.success) {
    return { ready: true, tool, args: strict.data };
  }
  const { parameters } = toolSchema(tool);
  const coerced = coerceArguments(args, parameters);
  const lenient = tool.parameters.safeParse(coerced);
  if (lenient.success) {
    return { ready: true, tool, args: lenient.data };
  }
  const issues = describeIssues(lenient.error.issues, coerced, parameters);
  return invalid(`Invalid arguments for ${tool.name}: ${issues}`);
}

function unknownTool(name: string, offered: readonly string[]): string {
  const list = offered.length === 0 ? 'No tools are offered.' : `Tools: ${offered.join(', ')}.`;
  const end = didYouMean(nearestName(name, offered));
  return `There is no tool ${JSON.stringify(name.slice(0, 100))}${end} ${list}`;
}

function notAnObject(name: string, reason: string): string {
  return `The arguments of ${name} are not a JSON object (${reason}). Nothing was run. Send the call again with valid JSON.`;
}

function invalid(problem: string): PreparedCall {
  return { ready: false, status: 'invalid', problem: sanitizeError(problem) };
}
