import type { ToolSchema } from '../../tools/tool.js';
import type { ModelConfig } from '../model-provider.js';

/** Writes the part of a request body that follows the messages. */
export type RequestTail = (tools: readonly ToolSchema[], seed: number | undefined) => string;

/**
 * Prepares everything of a request but the messages: the sampling parameters once per connection, and a list of tools
 * once for all rollouts that share it. A field of `extra_body` wins over ours; null takes a field of ours out.
 */
export function requestTail(config: ModelConfig, model: string): RequestTail {
  const extra = config.extraBody;
  const fixed = JSON.stringify({ ...ownFields(config, model), ...keptExtra(extra) }, wellFormed);
  const takesSeed = extra['seed'] === undefined;
  const toolTexts = new WeakMap<readonly ToolSchema[], string>();
  return (tools, seed) => {
    let toolText = toolTexts.get(tools);
    if (toolText === undefined) {
      toolText = tools.length === 0 ? '' : `"tools":${toolsJson(tools)},`;
      toolTexts.set(tools, toolText);
    }
    const seedText = takesSeed && seed !== undefined ? `"seed":${seed},` : '';
    return `],${toolText}${seedText}${fixed.slice(1)}`;
  };
}

function ownFields(config: ModelConfig, model: string): Record<string, unknown> {
  const own: Record<string, unknown> = {
    model,
    temperature: config.temperature ?? undefined,
    top_p: config.topP ?? undefined,
    [limitField(config)]: config.maxTokens ?? undefined,
    stop: config.stop.length === 0 ? undefined : config.stop,
    reasoning_effort: config.reasoningEffort ?? undefined,
    stream_options: config.extraBody['stream'] === true ? { include_usage: true } : undefined,
  };
  return Object.fromEntries(
    Object.entries(own).filter(([name]) => config.extraBody[name] !== null),
  );
}

function keptExtra(extra: ModelConfig['extraBody']): Record<string, unknown> {
  const ours = new Set([
    'temperature',
    'top_p',
    'max_tokens',
    'max_completion_tokens',
    'stop',
    'reasoning_effort',
    'seed',
    'stream_options',
  ]);
  return Object.fromEntries(
    Object.entries(extra).filter(([name, value]) => value !== null || !ours.has(name)),
  );
}

/** OpenAI's own newer models refuse `max_tokens`; many other servers know nothing else. */
function limitField({ baseUrl }: ModelConfig): string {
  const host = baseUrl === null ? 'api.openai.com' : new URL(baseUrl).hostname;
  return /(^|\.)(openai\.com|openai\.azure\.com)$/.test(host)
    ? 'max_completion_tokens'
    : 'max_tokens';
}

function toolsJson(tools: readonly ToolSchema[]): string {
  const wire = tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
  return JSON.stringify(wire, wellFormed);
}

function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}
