import type { SandboxSession } from '../sandbox/sandbox.js';
import type { ToolContext } from '../tools/tool.js';

/** What the tools of one agent may touch, with fresh state of their own. */
export function agentToolContext(
  sandbox: SandboxSession | null,
  stop: { readonly signal: AbortSignal },
): ToolContext {
  return {
    get sandbox() {
      if (sandbox === null) {
        throw new Error('This rollout has no sandbox; a tool that uses one must say needsSandbox.');
      }
      return sandbox;
    },
    get signal() {
      return stop.signal;
    },
    state: new Map(),
  };
}
