export { classifyChanges } from './classify-changes.ts'
export { withoutAddedTests } from './inline-tests.ts'
export type { ClassifiedChange, CompareTexts, Scope } from './scope.ts'
export { scopeOf } from './scope-of.ts'
