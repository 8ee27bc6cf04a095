import type { EmitEvent } from '../rollout/event.js';

/** Emits without ever throwing: whoever watches a rollout must not be able to break it. */
export function safeEmit(emit: EmitEvent): EmitEvent {
  return (event) => {
    try {
      emit(event);
    } catch {
      // The event is lost, and nothing else.
    }
  };
}
