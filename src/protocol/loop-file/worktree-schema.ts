/** The schema of `worktree` in a loop file: whether and how a run gets a separate git worktree. */

import { z } from 'zod'
import { exactly } from '../exactly.ts'
import type { WorktreeSettings } from './loop-file.ts'
import { expects, key, keys, list, matching, text } from './value-schemas.ts'

const auto = () => z.literal('auto', { error: expects('true, false or auto') })

/** The revision that a worktree starts from. */
export const baseRef = (): z.ZodType<string, string> =>
  matching(/^(?!-)[^\s\p{Cc}]{1,200}$/u, 'a branch, a tag or a commit')

export const branchPrefix = (): z.ZodType<string, string> =>
  matching(/^(?!-)[A-Za-z0-9._/-]{0,100}$/, 'the prefix of a branch name, such as run/')

const table = keys({
  use: key(
    z.union([auto(), z.boolean()]).prefault(true),
    'auto: only if the workspace is the top of a git repository with a commit.',
    'auto',
  ),
  provider: key(
    z.enum(['auto', 'git', 'worktrunk']).prefault('auto'),
    'What creates worktrees. auto: Worktrunk (wt) if it is installed, else git.',
    'git',
  ),
  base: key(
    baseRef().exactOptional(),
    'The branch, tag or commit that the run starts from. Default: the branch that is checked out.',
    'main',
  ),
  path: key(
    text(1000).exactOptional(),
    'A template for the path of the worktree, relative to the main checkout; {{ repo }} and {{ run_branch | sanitize }} are replaced.',
    '../{{ repo }}.{{ run_branch | sanitize }}',
  ),
  branchPrefix: key(
    branchPrefix().exactOptional(),
    'The prefix of the branch name. Default: run/. The name of the run follows.',
    'run/',
  ),
  carry: key(
    list(
      keys({
        path: key(
          text(1000),
          'A glob over paths from the top of the checkout: a file, or a folder with its content.',
          '**/.env',
        ),
        by: key(
          z.enum(['copy', 'link', 'nothing']).prefault('copy'),
          'copy, link (read-only in the sandbox), or nothing: not carried over.',
        ),
      }),
      'a list of rules',
      { max: 100 },
    ).exactOptional(),
    'Which ignored files to carry over to the worktree. Default: .env files and node_modules. The first matching rule decides.',
    [{ path: '**/node_modules', by: 'link' }],
  ),
  allowDirty: key(
    z.boolean().prefault(false),
    'True: starts without the uncommitted changes. Default: a run does not start if there are any.',
  ),
})

/** A keyword or a table; always converted to a table. */
export const worktreeSettingsSchema: z.ZodType<WorktreeSettings> = exactly<WorktreeSettings>()(
  z.union([auto(), z.boolean(), table]).transform((written): WorktreeSettings => {
    if (typeof written === 'object') return written
    return { use: written, provider: 'auto', allowDirty: false }
  }),
)
