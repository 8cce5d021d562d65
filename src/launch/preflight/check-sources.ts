/**
 * Whether a loop can read what it gathers, and act on GitHub: its repository, the remotes, and `gh` with a login. Uses no
 * network: `gh` is asked only for the login that it has stored.
 */

import { textOf } from '../../loop/index.ts'
import type { GatherSource } from '../../protocol/index.ts'
import { findRemote, listProjectFolders, openHistory } from '../../workspace/index.ts'
import { findGh, ownerAndName } from '../authority/gh.ts'
import type { PreflightFinding } from './look-ahead.ts'

export interface OutsideUse {
  readonly sources: readonly GatherSource[]
  /** Those that the run may perform. */
  readonly actions: readonly { readonly kind: string }[]
}

/** Empty: the loop uses nothing besides its files. */
export async function checkSources(
  use: OutsideUse,
  workspace: string,
): Promise<readonly PreflightFinding[]> {
  const { sources, actions } = use
  const onGithub = [...sources, ...actions].filter(isOnGithub)
  const ofGit = sources.filter(({ type }) => type.startsWith('git-'))
  if (sources.length === 0 && onGithub.length === 0) return []
  const names = [...new Set([...sources, ...onGithub].map(nameOf))].join(', ')
  try {
    const repositories =
      onGithub.length + ofGit.length === 0 ? [] : await checkRepository(workspace, onGithub)
    const where = repositories.length === 0 ? '' : ` (${repositories.join(', ')})`
    return [{ what: 'sources', status: 'ok', detail: `${names}${where}` }]
  } catch (error) {
    const needing = [...new Set([...onGithub, ...ofGit].map(nameOf))].join(', ')
    const detail = `The loop uses ${needing}: ${textOf(error)}`
    return [{ what: 'sources', status: 'problem', detail }]
  }
}

type Used = GatherSource | OutsideUse['actions'][number]

const nameOf = (used: Used): string => ('type' in used ? used.type : used.kind)

const isOnGithub = (used: Used): boolean =>
  ['issues', 'pull-requests', 'ci-runs', 'comment', 'open-pr'].includes(nameOf(used))

/** It needs `gh` and a remote. */
export const usesGithub = ({ sources, actions }: OutsideUse): boolean =>
  [...sources, ...actions].some(isOnGithub)

/** The names of the repositories on GitHub. */
async function checkRepository(
  workspace: string,
  onGithub: readonly Used[],
): Promise<readonly string[]> {
  const opened = await openHistory(workspace)
  if (opened === undefined) throw new Error('The repository has no commit yet. Make one first.')
  if (onGithub.length === 0) return []
  const { repository } = opened
  const gh = await findGh(listProjectFolders(repository))
  const found: string[] = []
  for (const name of new Set(onGithub.map(remoteOf))) {
    const slug = ownerAndName((await findRemote(repository, name)).url)
    const host = slug.split('/').length === 3 ? (slug.split('/')[0] ?? '') : 'github.com'
    await gh(['auth', 'token', `--hostname=${host}`], {
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((cause: unknown) => {
      throw new Error(`gh has no login for ${host}. Log in: gh auth login --hostname ${host}`, {
        cause,
      })
    })
    found.push(slug)
  }
  return found
}

const timeoutMs = 20_000

const remoteOf = (used: Used): string =>
  'remote' in used && typeof used.remote === 'string' ? used.remote : 'origin'
