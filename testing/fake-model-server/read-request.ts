import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../src/json.js';
import { type FaultRule, faultsInPrompt } from './fault.js';
import type { FakeModelRequest, FakeWireMessage } from './script.js';

/** A request, how it is counted, and the faults that its prompt asks for. */
export interface ReadRequest {
  readonly key: string;
  readonly request: Omit<FakeModelRequest, 'attempt'>;
  readonly faults: readonly FaultRule[];
  /** Size of the request body. */
  readonly bytes: number;
}

/** Reads a request body in full. Null when it is not a chat completion request. */
export function readRequest(body: Buffer): ReadRequest | null {
  const parsed = parseJson(body.toString('utf8'));
  if (!parsed.ok || !isJsonObject(parsed.value)) {
    return null;
  }
  const value = parsed.value;
  const list = value['messages'];
  if (!Array.isArray(list)) {
    return null;
  }
  const messages = list.filter(isJsonObject) as unknown as FakeWireMessage[];
  const seed = value['seed'];
  const user = messages.filter((message) => message.role === 'user');
  return {
    key: sha256(JSON.stringify([list, seed ?? null])),
    request: {
      messages,
      assistantTurns: messages.filter((message) => message.role === 'assistant').length,
      tools: toolNames(value),
      model: typeof value['model'] === 'string' ? value['model'] : 'fake',
      seed: typeof seed === 'number' ? seed : null,
      stream: value['stream'] === true,
      body: value,
    },
    faults: user.flatMap((message) => faultsInPrompt(textOf(message.content))),
    bytes: body.length,
  };
}

const assistantRole = Buffer.from('"role":"assistant"');
const faultMarker = Buffer.from('[fault:');

/** Looks only at what a tool loop needs, without parsing: for benchmarks with large bodies. */
export function readRequestFast(body: Buffer): ReadRequest {
  if (body.includes(faultMarker)) {
    const full = readRequest(body);
    if (full !== null) {
      return full;
    }
  }
  let assistantTurns = 0;
  for (
    let at = body.indexOf(assistantRole);
    at !== -1;
    at = body.indexOf(assistantRole, at + assistantRole.length)
  ) {
    assistantTurns += 1;
  }
  return {
    key: sha256(body),
    request: {
      messages: [],
      assistantTurns,
      tools: [],
      model: 'fake',
      seed: null,
      stream: body.includes('"stream":true'),
      body: null,
    },
    faults: [],
    bytes: body.length,
  };
}

function toolNames(body: JsonObject): readonly string[] {
  const tools = body['tools'];
  return (Array.isArray(tools) ? tools : []).flatMap((tool: Json) => {
    const declared = isJsonObject(tool) ? tool['function'] : null;
    const name = isJsonObject(declared) ? declared['name'] : null;
    return typeof name === 'string' ? [name] : [];
  });
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
