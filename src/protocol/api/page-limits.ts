/** Limits of pages. Apart from the schemas, so that a command that lists something does not load zod. */

export const pageSizeMax = 1000
export const pageSizeDefault = 100
export const cursorCharsMax = 512
