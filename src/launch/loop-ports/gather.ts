/**
 * Reads the sources of a round: history through hardened git, issues, pull requests and CI with `gh` of the operator,
 * versions from the registries of the operator, files of the workspace.
 *
 * 1. Nothing is written, here or elsewhere.
 * 2. What is read is bounded in time, size and number, and parsed at the edge.
 * 3. A source that fails is data: the round works without it, and says so.
 * 4. E8. A digest has nothing that changes by itself, and nothing that a run of this product writes.
 */

import { type Signal, textOf } from '../../loop/index.ts'
import {
  cleanText,
  type Gather,
  type GatheredSource,
  sourceCharsMax,
} from '../../loops/context/gather.ts'
import type { GatherSource } from '../../protocol/index.ts'
import { sha256 } from '../../system/index.ts'
import { type History, openHistory } from '../../workspace/index.ts'
import { readCiRuns } from './sources/ci-runs.ts'
import { readBranches, readCommits, readDiff } from './sources/commits.ts'
import { createAskGithub } from './sources/github.ts'
import { readIssues, readPullRequests } from './sources/issues.ts'
import { readOutdated } from './sources/outdated.ts'
import type { ReadSource, SourcePorts } from './sources/source.ts'
import { readWorkspaceFile } from './sources/workspace-file.ts'

export interface GatherOptions {
  readonly workspace: string | undefined
  readonly nowMs?: () => number
  readonly timeoutMs?: number
}

const timeoutMsDefault = 120_000

export const createGather =
  ({ workspace, nowMs = Date.now, timeoutMs = timeoutMsDefault }: GatherOptions): Gather =>
  async (sources, signal) => {
    if (sources.length === 0) return []
    const ports = openPorts(workspace, nowMs())
    const names = toNames(sources)
    return Promise.all(
      sources.map((source, at) =>
        readWithin(source, ports, { name: names[at] ?? source.type, signal, timeoutMs }),
      ),
    )
  }

function openPorts(workspace: string | undefined, nowMs: number): SourcePorts {
  let opened: Promise<History> | undefined
  const history = (): Promise<History> => {
    opened ??= openWorkspaceHistory(workspace)
    return opened
  }
  return { workspace, history, github: createAskGithub(history), nowMs }
}

async function openWorkspaceHistory(workspace: string | undefined): Promise<History> {
  if (workspace === undefined) throw new Error('The run has no workspace.')
  const opened = await openHistory(workspace)
  if (opened === undefined) throw new Error('The repository has no commit yet.')
  return opened
}

interface Reading {
  readonly name: string
  readonly signal: Signal
  readonly timeoutMs: number
}

async function readWithin(
  source: GatherSource,
  ports: SourcePorts,
  { name, signal, timeoutMs }: Reading,
): Promise<GatheredSource> {
  const stop = new AbortController()
  const abort = (): void => stop.abort()
  signal.addEventListener('abort', abort)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`It took longer than ${timeoutMs / 1000} s.`))
      stop.abort()
    }, timeoutMs)
  })
  try {
    signal.throwIfAborted()
    return toGathered(name, await Promise.race([read(source, ports, stop.signal), late]))
  } catch (error) {
    signal.throwIfAborted()
    const { text } = cleanText(textOf(error), 500)
    return { name, status: 'failed', text, digest: sha256(`failed ${text}`) }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

function read(source: GatherSource, ports: SourcePorts, signal: Signal): Promise<ReadSource> {
  switch (source.type) {
    case 'git-log':
      return readCommits(source, ports)
    case 'git-diff':
      return readDiff(source, ports)
    case 'git-branches':
      return readBranches(source, ports)
    case 'issues':
      return readIssues(source, ports, signal)
    case 'pull-requests':
      return readPullRequests(source, ports, signal)
    case 'ci-runs':
      return readCiRuns(source, ports, signal)
    case 'outdated':
      return readOutdated(ports, signal)
    case 'file':
      return readWorkspaceFile(source, ports)
  }
}

function toGathered(
  name: string,
  { text, facts, isCut = false, numbers = [] }: ReadSource,
): GatheredSource {
  const clean = cleanText(text, sourceCharsMax)
  return {
    name,
    status: clean.text === '' ? 'empty' : 'read',
    text: clean.text,
    digest: sha256(JSON.stringify(facts ?? null)),
    ...(isCut || clean.isCut ? { isCut: true } : {}),
    ...(numbers.length === 0 ? {} : { numbers }),
  }
}

/** Unique: the second source of a type has its number. */
function toNames(sources: readonly GatherSource[]): readonly string[] {
  const counts = new Map<string, number>()
  return sources.map((source) => {
    const name = source.type === 'file' ? `file ${source.path}` : source.type
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count === 1 ? name : `${name} ${count}`
  })
}
