export type { AgentConfig, AgentInput, AgentOutcome } from './agent/agent.js';
export { runAgent } from './agent/run-agent.js';
export { type Clock, systemClock } from './clock.js';
export { type ErrorCode, TalariaError } from './errors.js';
export type { Json, JsonObject } from './json.js';
export { checkConversation } from './messages/check-conversation.js';
export type {
  AssistantMessage,
  FinishReason,
  Message,
  SystemMessage,
  ToolCall,
  ToolMessage,
  ToolStatus,
  UserMessage,
} from './messages/message.js';
export type {
  Model,
  ModelFailure,
  ModelFailureClass,
  ModelReply,
  ModelRequest,
  ModelResult,
  ModelToolCall,
  ReplyTokens,
  Usage,
} from './models/model.js';
export type {
  ModelConfig,
  ModelConnection,
  ModelPorts,
  ModelProvider,
  ModelRollout,
} from './models/model-provider.js';
export { openModel } from './models/open-model.js';
export { deriveSeed, type Random, seededRandom } from './random.js';
export { checkRecord } from './rollout/check-record.js';
export { decodeRecord, encodeRecord } from './rollout/encode-record.js';
export type { EmitEvent, RolloutEvent, RolloutEventBody } from './rollout/event.js';
export { type ExitReason, type RolloutStatus, statusOfExit } from './rollout/exit-reason.js';
export type { RolloutRecord } from './rollout/record.js';
export { type RewardOutcome, totalReward } from './rollout/reward.js';
export type { Task, TaskFile } from './rollout/task.js';
export { taskKey } from './rollout/task-key.js';
export { resolveSandboxProvider } from './sandbox/resolve-sandbox.js';
export type {
  ExecOptions,
  ExecResult,
  Sandbox,
  SandboxProvider,
  SandboxSession,
  SandboxSpec,
  VerifyMode,
} from './sandbox/sandbox.js';
export { openTokenCounter, type TokenCounter } from './tokens/token-counter.js';
export { loadToolCatalog, type ToolCatalog } from './tools/catalog.js';
export type { Distribution } from './tools/distribution.js';
export { loadDistribution } from './tools/load-distributions.js';
export { sampleToolsets } from './tools/sample-toolsets.js';
export type { Tool, ToolContext, ToolResult, ToolSchema } from './tools/tool.js';
export { version } from './version.js';
