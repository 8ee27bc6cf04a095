import type { AgentOutcome } from '../src/agent/agent.js';
import type { Clock } from '../src/clock.js';
import type { Json } from '../src/json.js';
import type { RewardOutcome } from '../src/rollout/reward.js';
import type { VerifyMode } from '../src/sandbox/sandbox.js';
import type { ToolOffer } from './offer-tools.js';
import type { RolloutStop } from './rollout-stop.js';

/** What is known of a rollout so far. Each stage adds its part, so that an end at any point has a record. */
export interface RolloutDraft {
  readonly startedAt: number;
  readonly startedMonotonic: number;
  offer: ToolOffer | null;
  systemPrompt: string;
  sandbox: { readonly kind: string; readonly image: string | null } | null;
  outcome: AgentOutcome | null;
  /** Set when something other than the agent ended the rollout. */
  stop: RolloutStop | null;
  discardReason: string | null;
  rewards: readonly RewardOutcome[];
  verify: VerifyMode | null;
  readonly annotations: Record<string, Json>;
  setupSeconds: number;
  rewardSeconds: number;
}

export function newDraft(clock: Clock): RolloutDraft {
  return {
    startedAt: clock.now(),
    startedMonotonic: clock.monotonic(),
    offer: null,
    systemPrompt: '',
    sandbox: null,
    outcome: null,
    stop: null,
    discardReason: null,
    rewards: [],
    verify: null,
    annotations: {},
    setupSeconds: 0,
    rewardSeconds: 0,
  };
}
