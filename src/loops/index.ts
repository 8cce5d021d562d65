export { type LoopOperation, loopOperation, type OperationRequest } from './loop-operation.ts'
export type {
  CapturedFile,
  LoopTypeDefinition,
  PreparedLoop,
  ReadPrompts,
  ReadSection,
} from './loop-type-definition.ts'
export { type PlainLoop, type PlainSettings, plainLoop } from './plain/plain.ts'
export { type PlainProgress } from './plain/plain-progress.ts'
export { createPrompt } from './plain/plain-prompt.ts'
export { type PromptSection } from './prompt-sections.ts'
export { loopTypes } from './registry.ts'
export { createTemplate, type Template } from './template.ts'
