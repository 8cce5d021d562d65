export { createTemplate, type Template, type TemplateOptions } from './template.ts'
export { sanitize } from './template-engine.ts'
export type { Shape } from './template-variables.ts'
