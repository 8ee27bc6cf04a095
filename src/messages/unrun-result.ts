import { sha256 } from '../hash.js';
import { codePointLength } from '../text/code-points.js';
import type { ToolCall, ToolMessage } from './message.js';

/** The answer to a call that never reached its tool, so that the conversation stays well formed. */
export function unrunResult(
  call: ToolCall,
  status: 'invalid' | 'cancelled',
  content: string,
): ToolMessage {
  return {
    role: 'tool',
    tool_call_id: call.id,
    name: call.name,
    content,
    status,
    original_chars: codePointLength(content),
    tier: null,
    sha256: sha256(content),
    seconds: 0,
  };
}
