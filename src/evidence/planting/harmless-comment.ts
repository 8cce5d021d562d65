/** Appends a comment to a file: a change that must not matter. */

import { withComment } from '../calibrate/harmless-changes.ts'

const decoder = new TextDecoder()

/** Undefined: it is not code, or its last line would become part of the comment. */
export function withHarmlessComment(file: string, text: string): string | undefined {
  const put = withComment({ path: file, text })
  return put === undefined ? undefined : decoder.decode(put.content)
}
