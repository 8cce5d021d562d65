/** Reads the text of a manifest. Nothing of it is used before all of it is checked. */

import { formatJsonPath } from '../canonical-json.ts'
import { issueProblems, issueReason } from '../loop-file/issue-problems.ts'
import { type Manifest, manifestBytesMax } from './manifest.ts'
import { manifestSchema } from './manifest-schema.ts'

export type ParsedManifest =
  | { readonly type: 'valid'; readonly manifest: Manifest }
  /** One line each: where, what and why. */
  | { readonly type: 'invalid'; readonly problems: readonly string[] }

const problemsMax = 20
/** Deeper ones would overflow the stack of a checker. */
const depthMax = 20

export function parseManifest(text: string): ParsedManifest {
  if (text.length > manifestBytesMax) {
    const mebibytes = (text.length / 1024 ** 2).toFixed(1)
    return invalid(
      `it has ${mebibytes} MB, and 1 MB is the limit. A manifest names files; it does not contain them`,
    )
  }
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return invalid(`it is not JSON: ${reason.slice(0, 300)}`)
  }
  if (isDeep(value, depthMax)) return invalid(`it is nested more than ${depthMax} levels deep`)
  const parsed = manifestSchema.safeParse(value, { error: issueReason, reportInput: true })
  if (parsed.success) return { type: 'valid', manifest: parsed.data }
  const problems = issueProblems(parsed.error.issues).map(({ path, reason }) =>
    path.length === 0 ? reason : `${formatJsonPath(path)}: ${reason}`,
  )
  const more = problems.length - problemsMax
  return {
    type: 'invalid',
    problems: [
      ...problems.slice(0, problemsMax),
      ...(more > 0 ? [`and ${more} more problems`] : []),
    ],
  }
}

const invalid = (problem: string): ParsedManifest => ({ type: 'invalid', problems: [problem] })

/** Not recursive, because the value may be deeper than the stack. */
function isDeep(value: unknown, levels: number): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    )
  }
  return false
}
