/**
 * Whether a loop can read what it gathers, and act on GitHub: its repository, the remotes, and `gh` with a login. Uses no
 * network: `gh` is asked only for the login that it has stored.
 */

import { textOf } from '../../loop/index.ts'
import type { GatherSource } from '../../protocol/index.ts'
import {
  findRemote,
  listProjectFolders,
  openHistory,
  type Repository,
} from '../../workspace/index.ts'
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
  const needing = [...onGithub, ...ofGit]
  if (needing.length === 0) return [{ what: 'sources', status: 'ok', detail: namesOf(sources) }]
  const opened = await attempt(() => openRepository(workspace))
  if ('problem' in opened) return [problemOf(needing, opened.problem)]
  if (onGithub.length === 0) return [{ what: 'sources', status: 'ok', detail: namesOf(sources) }]
  const slugs = await attempt(() => checkGithub(opened.value, onGithub))
  // Only these need it; the history of git is there.
  if ('problem' in slugs) return [problemOf(onGithub, slugs.problem)]
  const detail = `${namesOf([...sources, ...onGithub])} (${slugs.value.join(', ')})`
  return [{ what: 'sources', status: 'ok', detail }]
}

type Attempt<T> = { readonly value: T } | { readonly problem: string }

const attempt = async <T>(work: () => Promise<T>): Promise<Attempt<T>> => {
  try {
    return { value: await work() }
  } catch (error) {
    return { problem: textOf(error) }
  }
}

const problemOf = (used: readonly Used[], problem: string): PreflightFinding => ({
  what: 'sources',
  status: 'problem',
  detail: `The loop uses ${namesOf(used)}: ${problem}`,
})

const namesOf = (used: readonly Used[]): string => [...new Set(used.map(nameOf))].join(', ')

type Used = GatherSource | OutsideUse['actions'][number]

const nameOf = (used: Used): string => ('type' in used ? used.type : used.kind)

const isOnGithub = (used: Used): boolean =>
  ['issues', 'pull-requests', 'ci-runs', 'comment', 'open-pr'].includes(nameOf(used))

/** It needs `gh` and a remote. */
export const usesGithub = ({ sources, actions }: OutsideUse): boolean =>
  [...sources, ...actions].some(isOnGithub)

async function openRepository(workspace: string): Promise<Repository> {
  const opened = await openHistory(workspace)
  if (opened === undefined) throw new Error('The repository has no commit yet. Make one first.')
  return opened.repository
}

/** The names of the repositories on GitHub. */
async function checkGithub(
  repository: Repository,
  onGithub: readonly Used[],
): Promise<readonly string[]> {
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
