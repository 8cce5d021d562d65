/**
 * The files of a workspace inside a checkpoint file.
 *
 * W1. A path is relative and stays inside: no empty, `.` or `..` part, no NUL.
 * W2. No path occurs twice, and nothing lies below a file or a symbolic link. So writing the entries in
 *     order cannot leave the folder through a link from the same checkpoint.
 */

import { z } from 'zod'
import { exactly } from '../exactly.ts'
import { listOf, published } from '../values.ts'

export interface WorkspaceFile {
  /** From the root of the workspace, with `/`. */
  readonly path: string
  readonly mode: 'file' | 'executable' | 'symlink' | 'directory'
  readonly encoding: 'utf8' | 'base64'
  /** For a symbolic link: its target. For a directory: empty. */
  readonly content: string
}

const isInside = (path: string): boolean =>
  !path.includes('\0') &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')

/** Standard base64 with padding. Searches for one invalid character, because content may be very long. */
const isBase64 = (text: string): boolean =>
  text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.replace(/={1,2}$/, ''))

/** An unpaired surrogate is not a character and has no UTF-8. */
const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text)

function contentProblem(file: WorkspaceFile): string | undefined {
  if (file.mode === 'directory' && file.content !== '') return 'a directory has no content'
  if (file.mode === 'symlink' && file.content === '') return 'a symbolic link needs its target'
  if (file.encoding === 'base64') return isBase64(file.content) ? undefined : 'it is not base64'
  return isWellFormed(file.content) ? undefined : 'it is not well-formed text; use base64'
}

const workspaceFileSchema: z.ZodType<WorkspaceFile> = exactly<WorkspaceFile>()(
  z.strictObject({
    path: z.string().refine(isInside, 'it must be relative, without empty, . or .. parts'),
    mode: z.enum(['file', 'executable', 'symlink', 'directory']),
    encoding: z.enum(['utf8', 'base64']),
    content: z.string(),
  }),
)
  .superRefine((file, context) => {
    const message = contentProblem(file)
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['content'], message })
  })
  .register(published, { id: 'WorkspaceFile' })

export const workspaceFilesSchema: z.ZodType<readonly WorkspaceFile[]> = exactly<
  readonly WorkspaceFile[]
>()(
  listOf(workspaceFileSchema).superRefine((files, context) => {
    const found = findPathProblem(files)
    if (found === undefined) return
    context.addIssue({ code: 'custom', path: [found.index, 'path'], message: found.message })
  }),
)

/** The first entry that W2 forbids. */
function findPathProblem(
  files: readonly WorkspaceFile[],
): { index: number; message: string } | undefined {
  const modes = new Map<string, WorkspaceFile['mode']>()
  for (const [index, file] of files.entries()) {
    if (modes.has(file.path)) return { index, message: 'this path occurs twice' }
    modes.set(file.path, file.mode)
  }
  for (const [index, { path }] of files.entries()) {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
      const mode = modes.get(path.slice(0, end))
      if (mode === undefined || mode === 'directory') continue
      return { index, message: `it lies below "${path.slice(0, end)}", which is a ${mode}` }
    }
  }
  return undefined
}
