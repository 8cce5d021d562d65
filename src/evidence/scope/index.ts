export { classifyChanges } from './classify-changes.ts'
export type { ClassifiedChange, Scope } from './scope.ts'
export { scopeOf } from './scope-of.ts'
