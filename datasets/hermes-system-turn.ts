import type { ToolSchema } from '../src/tools/tool.js';
import { holdsToolsMarkup } from './hermes-markup.js';
import { spacedJson } from './spaced-json.js';

/** The first turn of a Hermes conversation. */
export interface HermesSystemTurn {
  readonly value: string;
  /** True when the list of tools holds a literal `<tools>` tag, so that readers may cut it short. */
  readonly flagged: boolean;
}

/**
 * Tells how to call tools, and which. Its parts are those of the original in its order: what the tags mean, the
 * tools, the shape of a call, where calls go, an example. The wording is our own; `preamble` replaces the first part.
 * It is not the prompt that the model saw: that is the column `system_prompt`.
 */
export function hermesSystemTurn(
  tools: readonly ToolSchema[],
  preamble: string | null,
): HermesSystemTurn {
  const list = spacedJson(
    JSON.stringify(
      tools.map(({ name, description, parameters }) => ({
        name,
        description,
        parameters,
        required: null,
      })),
    ),
  );
  const opening = preamble === null ? builtInPreamble : preamble.trimEnd();
  return {
    value: `${opening}\n<tools>\n${list}\n</tools>\n${howToCall}`,
    flagged: holdsToolsMarkup(list),
  };
}

const builtInPreamble = [
  'You solve tasks by calling functions. The functions at your disposal, each with the JSON Schema of its',
  'parameters, stand between the tags <tools> </tools>. Use them whenever they bring the task forward, and pass',
  'only values that you were given or have found out. What a call returns reaches you between the tags',
  '<tool_response> </tool_response>. Your functions:',
].join(' ');

const callShape = JSON.stringify({
  title: 'FunctionCall',
  type: 'object',
  properties: {
    name: { title: 'Name', type: 'string' },
    arguments: { title: 'Arguments', type: 'object' },
  },
  required: ['name', 'arguments'],
});

const howToCall = [
  `A call is one JSON object that fits this schema: ${spacedJson(callShape)}`,
  'Put each call between the tags <tool_call> </tool_call>, on lines of its own.',
  'Example:',
  '<tool_call>',
  '{"name": "function_name", "arguments": {"parameter": "value"}}',
  '</tool_call>',
].join('\n');
