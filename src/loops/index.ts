export {
  checkPlain,
  type PlainLoop,
  type PlainSettings,
  plainLoop,
  plainUntil,
  type WrittenPrompt,
} from './plain.ts'
export {
  type CheckEntry,
  describeProgress,
  type PlainEntry,
  type PlainProgress,
  type PlainResult,
} from './plain-progress.ts'
export type { PlainContext, PlainInput, PromptSection } from './plain-prompt.ts'
export { createTemplate, type Template, type TemplateOptions } from './template.ts'
export { sanitize } from './template-engine.ts'
export type { Shape } from './template-variables.ts'
