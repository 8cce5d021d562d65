/** The classes of changed paths. Not in the file with the schemas, so that the CLI starts without zod. */

export const changeClasses = [
  'work',
  'new-test',
  'not-read',
  'documents',
  'free-keys',
  'dependencies',
  'sealed',
  'other',
] as const
export type ChangeClass = (typeof changeClasses)[number]
