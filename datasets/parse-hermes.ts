import { isJsonObject, type JsonObject, parseJson } from '../src/json.js';
import { holdsMarkup, holdsToolsMarkup } from './hermes-markup.js';
import type { HermesTurn } from './hermes-turn.js';

/** A turn of a Hermes conversation with its markup taken apart. */
export type ParsedHermesTurn =
  | {
      readonly from: 'system';
      readonly text: string;
      /** The list between the `tools` tags; null in a turn without one. */
      readonly tools: readonly JsonObject[] | null;
    }
  | { readonly from: 'human'; readonly text: string }
  | {
      readonly from: 'gpt';
      /** Null when the think block is empty or absent. */
      readonly reasoning: string | null;
      readonly content: string;
      readonly calls: readonly ParsedHermesCall[];
    }
  | { readonly from: 'tool'; readonly results: readonly ParsedHermesResult[] };

export interface ParsedHermesCall {
  readonly name: string;
  /** JSON text of the object, as it stands in the turn. */
  readonly arguments: string;
}

export interface ParsedHermesResult {
  readonly tool_call_id: string | null;
  readonly name: string | null;
  readonly content: string;
}

export type ParsedHermes =
  | { readonly ok: true; readonly turns: readonly ParsedHermesTurn[] }
  /** `turn` is the 0-based index of the turn that cannot be read. */
  | { readonly ok: false; readonly turn: number; readonly reason: string };

/**
 * Reads the `conversations` of a Hermes row back. Strict: a tag where none belongs makes the row unreadable instead of
 * being guessed at. Rows that `hermes` wrote without a flag come back whole; so do rows of the original
 * runner. Never throws.
 */
export function parseHermes(conversations: readonly HermesTurn[]): ParsedHermes {
  const turns: ParsedHermesTurn[] = [];
  for (const [index, turn] of conversations.entries()) {
    const parsed = parseTurn(turn);
    if (typeof parsed === 'string') {
      return { ok: false, turn: index, reason: parsed };
    }
    turns.push(parsed);
  }
  return { ok: true, turns };
}

/** The turn, or why it cannot be read. */
function parseTurn(turn: HermesTurn): ParsedHermesTurn | string {
  switch (turn.from) {
    case 'system':
      return parseSystem(turn.value);
    case 'human':
      return { from: 'human', text: turn.value };
    case 'gpt':
      return parseGpt(turn.value);
    case 'tool':
      return parseTool(turn.value);
  }
}

function parseSystem(value: string): ParsedHermesTurn | string {
  // The last closing tag on a line of its own: the text before the list may speak of the tags.
  const end = value.lastIndexOf('\n</tools>\n');
  const start = end === -1 ? -1 : value.lastIndexOf('<tools>\n', end);
  if (start === -1) {
    return { from: 'system', text: value, tools: null };
  }
  const list = value.slice(start + '<tools>\n'.length, end);
  const parsed = parseJson(list);
  if (holdsToolsMarkup(list)) {
    return 'a tools tag inside the list of tools';
  }
  if (!parsed.ok || !Array.isArray(parsed.value) || !parsed.value.every(isJsonObject)) {
    return 'the list of tools is not a JSON array of objects';
  }
  return { from: 'system', text: value, tools: parsed.value };
}

function parseGpt(value: string): ParsedHermesTurn | string {
  let reasoning: string | null = null;
  let rest = value;
  if (value.startsWith('<think>\n')) {
    const end = value.indexOf('\n</think>');
    if (end === -1) {
      return 'a think block that does not end';
    }
    const thought = value.slice('<think>\n'.length, end);
    if (holdsMarkup(thought)) {
      return 'a tag inside the think block';
    }
    reasoning = end < '<think>\n'.length ? null : thought;
    rest = value.slice(end + '\n</think>'.length);
    if (rest !== '' && !rest.startsWith('\n')) {
      return 'text on the line of the closing think tag';
    }
    rest = rest.slice(1);
  }
  const split = splitBlocks(rest, 'tool_call');
  if (typeof split === 'string') {
    return split;
  }
  const calls: ParsedHermesCall[] = [];
  for (const block of split.blocks) {
    const call = parseCall(block);
    if (call === null) {
      return 'a tool call that is not a JSON object with name and arguments';
    }
    calls.push(call);
  }
  return { from: 'gpt', reasoning, content: split.text, calls };
}

function parseTool(value: string): ParsedHermesTurn | string {
  const split = splitBlocks(value, 'tool_response');
  if (typeof split === 'string') {
    return split;
  }
  if (split.text !== '' || split.blocks.length === 0) {
    return 'text outside of the tool responses';
  }
  const results: ParsedHermesResult[] = [];
  for (const block of split.blocks) {
    const result = parseResult(block);
    if (result === null) {
      return 'a tool response that is not a JSON object with content';
    }
    results.push(result);
  }
  return { from: 'tool', results };
}

/** Text, then blocks of one tag to the end; every other tag is refused. */
function splitBlocks(
  value: string,
  tag: string,
): { readonly text: string; readonly blocks: readonly string[] } | string {
  const open = `<${tag}>\n`;
  const close = `\n</${tag}>`;
  const first = value.startsWith(open) ? 0 : value.indexOf(`\n${open}`) + 1;
  const hasBlocks = first > 0 || value.startsWith(open);
  const text = hasBlocks ? value.slice(0, Math.max(0, first - 1)) : value;
  if (holdsMarkup(text)) {
    return 'a tag inside the text';
  }
  const blocks: string[] = [];
  for (let at = first; hasBlocks && at <= value.length; ) {
    const end = value.indexOf(close, at);
    if (!value.startsWith(open, at) || end === -1) {
      return `text between or after the ${tag} blocks, or a block that does not end`;
    }
    const block = value.slice(at + open.length, end);
    if (holdsMarkup(block)) {
      return `a tag inside a ${tag} block`;
    }
    blocks.push(block);
    at = end + close.length;
    if (at === value.length) {
      break;
    }
    if (value.charAt(at) !== '\n') {
      return `text on the line of a closing ${tag} tag`;
    }
    at += 1;
  }
  return { text, blocks };
}

function parseCall(block: string): ParsedHermesCall | null {
  const parsed = parseJson(block);
  if (!parsed.ok || !isJsonObject(parsed.value)) {
    return null;
  }
  const { name, arguments: args } = parsed.value;
  if (typeof name !== 'string' || !isJsonObject(args)) {
    return null;
  }
  const head = `{"name": ${JSON.stringify(name)}, "arguments": `;
  return { name, arguments: valueAfter(block, head) ?? JSON.stringify(args) };
}

function parseResult(block: string): ParsedHermesResult | null {
  const parsed = parseJson(block);
  if (!parsed.ok || !isJsonObject(parsed.value) || !Object.hasOwn(parsed.value, 'content')) {
    return null;
  }
  const { tool_call_id, name, content = null } = parsed.value;
  const head = `{"tool_call_id": ${JSON.stringify(tool_call_id)}, "name": ${JSON.stringify(name)}, "content": `;
  return {
    tool_call_id: typeof tool_call_id === 'string' ? tool_call_id : null,
    name: typeof name === 'string' ? name : null,
    content:
      typeof content === 'string' ? content : (valueAfter(block, head) ?? JSON.stringify(content)),
  };
}

/**
 * The text of the last value of an object whose text begins with `head`: a parsed number may have lost digits. Null
 * when the object is spelled otherwise.
 */
function valueAfter(block: string, head: string): string | null {
  return block.startsWith(head) && block.endsWith('}') ? block.slice(head.length, -1) : null;
}
