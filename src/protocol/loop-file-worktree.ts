/** How `worktree` of a loop file is written: whether a run gets a git worktree of its own, and how. */

import { z } from 'zod'
import { exactly } from './exactly.ts'
import type { WorktreeSettings } from './loop-file.ts'
import { expects, form, key, keys, list, text } from './loop-file-values.ts'

const auto = () => z.literal('auto', { error: expects('true, false or auto') })

/** What a worktree can start from. */
export const baseRef = (): z.ZodType<string, string> =>
  form(/^(?!-)[^\s\p{Cc}]{1,200}$/u, 'a branch, a tag or a commit')

export const branchBeginning = (): z.ZodType<string, string> =>
  form(/^(?!-)[A-Za-z0-9._/-]{0,100}$/, 'the beginning of a branch name, such as run/')

const table = keys({
  use: key(
    z.union([auto(), z.boolean()]).prefault(true),
    'auto: only where the workspace is the top of a git repository that has a commit.',
    'auto',
  ),
  provider: key(
    z.enum(['auto', 'git', 'worktrunk']).prefault('auto'),
    'Who makes worktrees. auto: Worktrunk (wt) where it is installed, else git.',
    'git',
  ),
  base: key(
    baseRef().exactOptional(),
    'What the run starts from; the branch that is checked out unless told.',
    'main',
  ),
  path: key(
    text(1000).exactOptional(),
    'Where the folder goes, from the main checkout; {{ repo }} and {{ run_branch | sanitize }} are filled in.',
    '../{{ repo }}.{{ run_branch | sanitize }}',
  ),
  branchPrefix: key(
    branchBeginning().exactOptional(),
    'What the branch begins with; run/ unless told. The name of the run follows.',
    'run/',
  ),
  carry: key(
    list(
      keys({
        path: key(
          text(1000),
          'A glob over paths from the top of the checkout: a file, or a folder with all in it.',
          '**/.env',
        ),
        by: key(
          z.enum(['copy', 'link', 'nothing']).prefault('copy'),
          'copy, link (read-only inside), or nothing: it stays behind.',
        ),
      }),
      'a list of rules',
      { max: 100 },
    ).exactOptional(),
    'Ignored files that are brought along; .env files and node_modules unless told. The first rule that fits decides.',
    [{ path: '**/node_modules', by: 'link' }],
  ),
  allowDirty: key(
    z.boolean().prefault(false),
    'True: uncommitted changes are left behind. Else they are a reason not to begin.',
  ),
})

/** A word, or a table; always a table afterwards. */
export const worktreeSettingsSchema: z.ZodType<WorktreeSettings> = exactly<WorktreeSettings>()(
  z.union([auto(), z.boolean(), table]).transform((written): WorktreeSettings => {
    if (typeof written === 'object') return written
    return { use: written, provider: 'auto', allowDirty: false }
  }),
)
