export {
  type CheckedPlain,
  checkPlain,
  type PlainLoop,
  type PlainSettings,
  plainLoop,
} from './plain.ts'
export {
  type CheckEntry,
  describeProgress,
  type PlainEntry,
  type PlainProgress,
  type PlainResult,
} from './plain-progress.ts'
export {
  createPrompt,
  type IterationInfo,
  type PlainContext,
  type PlainInput,
  type Prompt,
  type PromptSection,
} from './plain-prompt.ts'
export { createTemplate, type Template, type TemplateOptions } from './template.ts'
export { sanitize } from './template-engine.ts'
export type { VariableShape } from './template-variables.ts'
