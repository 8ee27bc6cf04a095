import type { FakeCompletion } from './completion.js';

interface WireCall {
  readonly id?: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** The server-sent events of a streamed answer, one string each: text in pieces, arguments in pieces, then the end. */
export function streamEvents(completion: FakeCompletion, includeUsage: boolean): string[] {
  const events: string[] = [];
  const send = (delta: object, finishReason: string | null = null) => {
    events.push(
      event({
        id: completion.id,
        object: 'chat.completion.chunk',
        model: completion.model,
        choices: [{ index: 0, delta, finish_reason: finishReason }],
      }),
    );
  };
  send({ role: 'assistant', content: '' });
  for (const field of ['reasoning_content', 'reasoning', 'content']) {
    const text = completion.message[field];
    for (const piece of piecesOf(typeof text === 'string' ? text : '')) {
      send({ [field]: piece });
    }
  }
  const calls = (completion.message['tool_calls'] ?? []) as readonly WireCall[];
  for (const [index, call] of calls.entries()) {
    const head = call.id === undefined ? {} : { id: call.id };
    send({
      tool_calls: [
        { index, ...head, type: 'function', function: { name: call.function.name, arguments: '' } },
      ],
    });
    for (const piece of piecesOf(call.function.arguments)) {
      send({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  send({}, completion.finishReason);
  if (includeUsage && completion.usage !== null) {
    events.push(
      event({ id: completion.id, model: completion.model, choices: [], usage: completion.usage }),
    );
  }
  events.push('data: [DONE]\n\n');
  return events;
}

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += 12) {
    pieces.push(text.slice(at, at + 12));
  }
  return pieces;
}
