/** Splits a patch of many files into one patch per file. */

import { fromText, toDisplay } from '../../bytes.ts'
import { unquote } from './quoted-path.ts'

export interface FilePatch {
  readonly path: string
  readonly status: 'added' | 'modified' | 'deleted' | 'renamed'
  /** Of a renamed file. */
  readonly oldPath?: string
  readonly patch: string
  readonly added: number
  readonly removed: number
}

/** Lines of file content cannot start like this, because they have a sign in front. */
const patchStart = /^(?=diff --git )/m

export const splitPatch = (patch: string): readonly FilePatch[] =>
  patch.split(patchStart).flatMap((part) => (part.startsWith('diff --git ') ? [parse(part)] : []))

function parse(patch: string): FilePatch {
  const bodyAt = patch.search(/^@@ /m)
  const head = bodyAt === -1 ? patch : patch.slice(0, bodyAt)
  const find = (pattern: RegExp): string | undefined => pattern.exec(head)?.[1]
  const renamedTo = find(/^rename to (.+)$/m)
  const renamedFrom = find(/^rename from (.+)$/m)
  const before = sidePath(find(/^--- (.+?)\t?$/m))
  const after = sidePath(find(/^\+\+\+ (.+?)\t?$/m))
  const path = renamedTo ?? after ?? before ?? parseHeadPath(head)
  const status = readStatus(head, renamedTo !== undefined)
  const lines = bodyAt === -1 ? [] : patch.slice(bodyAt).split('\n')
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length
  return {
    path: toDisplayPath(path),
    status,
    ...(renamedFrom === undefined ? {} : { oldPath: toDisplayPath(renamedFrom) }),
    patch,
    added: count('+'),
    removed: count('-'),
  }
}

function readStatus(head: string, isRenamed: boolean): FilePatch['status'] {
  if (/^new file mode /m.test(head)) return 'added'
  if (/^deleted file mode /m.test(head)) return 'deleted'
  return isRenamed ? 'renamed' : 'modified'
}

/** `a/src/x.ts`, or in quotes; undefined for `/dev/null`. */
function sidePath(side: string | undefined): string | undefined {
  if (side === undefined || side === '/dev/null') return undefined
  return side.startsWith('"') ? `"${side.slice(3)}` : side.slice(2)
}

/** `diff --git a/x b/x`: both halves are equal if no other line has the path. */
function parseHeadPath(head: string): string {
  const [line = ''] = head.split('\n')
  const both = line.slice('diff --git '.length)
  if (both.startsWith('"')) return `"${/^"a\/((?:\\.|[^"\\])*)"/.exec(both)?.[1] ?? ''}"`
  return both.slice(2, Math.floor(both.length / 2))
}

const toDisplayPath = (path: string): string =>
  path.startsWith('"') ? toDisplay(unquote(path)) : toDisplay(fromText(path))
