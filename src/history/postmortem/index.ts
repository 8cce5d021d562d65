export type { Postmortem, PostmortemDocument } from './built-in.ts'
export { type RootCause, rootCauses } from './find-root-cause.ts'
