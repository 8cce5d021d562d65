export {
  type CheckedPlain,
  checkPlain,
  type PlainLoop,
  type PlainSettings,
  plainLoop,
} from './plain.ts'
export { type PlainProgress } from './plain-progress.ts'
export { createPrompt, type PromptSection } from './plain-prompt.ts'
export { createTemplate, type Template } from './template.ts'
