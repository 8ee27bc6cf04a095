export { type FakeClock, fakeClock } from './fake-clock.js';
export type { FakeModelCall } from './fake-model-server/call-log.js';
export type { FakeFault } from './fake-model-server/fault.js';
export type {
  FakeModelReply,
  FakeModelRequest,
  FakeModelScript,
  FakeToolCall,
} from './fake-model-server/script.js';
export { type ToolLoopOptions, toolLoop } from './fake-model-server/tool-loop.js';
export {
  type FakeModelServer,
  type FakeModelServerOptions,
  startFakeModelServer,
} from './fake-model-server.js';
export { FakeSandbox } from './fake-sandbox.js';
export { type InlineRun, type RunInlineOptions, runInline } from './run-inline.js';
export { scriptedModel } from './scripted-model.js';
