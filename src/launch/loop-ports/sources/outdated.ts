/**
 * Dependencies of the project with newer versions: what its manifest and lockfile say, and what the registries of the
 * operator answer. No package manager runs, so the project can neither run code nor choose a registry.
 */

import { readFile } from 'node:fs/promises'
import { rootCertificates } from 'node:tls'
import type { Signal } from '../../../loop/index.ts'
import { cleanLine } from '../../../loops/context/gather.ts'
import { findProxy } from '../../dependencies/registry/operator-proxy.ts'
import {
  type ManagerRegistries,
  operatorRegistries,
} from '../../dependencies/registry/operator-registries.ts'
import {
  requestUpstream,
  type UpstreamOptions,
} from '../../dependencies/registry/request-upstream.ts'
import { type Dependencies, type Dependency, readDependencies } from './dependencies.ts'
import { isNewer, type Lookup, lookupsFor } from './newest-version.ts'
import type { ReadSource, SourcePorts } from './source.ts'

const asked = { max: 300, atOnce: 8 }
const bytesMax = 32 * 1024 * 1024

export async function readOutdated(
  { workspace }: Pick<SourcePorts, 'workspace'>,
  signal: Signal,
): Promise<ReadSource> {
  if (workspace === undefined) throw new Error('The run has no workspace.')
  const known = await readDependencies(workspace)
  if (known === undefined) {
    const files = 'package.json, requirements.txt, pyproject.toml, Cargo.toml, go.mod'
    throw new Error(`The newest versions are unknown: there is none of ${files}.`)
  }
  const ask = await openRegistry(operatorRegistries(known.manager))
  const found: Answer[] = []
  const queue = known.dependencies.slice(0, asked.max).values()
  const work = async (): Promise<void> => {
    for (const dependency of queue) {
      signal.throwIfAborted()
      found.push({ ...dependency, ...(await findNewest(known, dependency, ask)) })
    }
  }
  await Promise.all(Array.from({ length: asked.atOnce }, work))
  return describe(known, found)
}

interface Answer extends Dependency {
  readonly newest?: string
  readonly problem?: string
}

function describe(
  { manager, dependencies, unknown }: Dependencies,
  answers: readonly Answer[],
): ReadSource {
  const sorted = answers.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const outdated = sorted.filter(
    ({ current, newest }) => newest !== undefined && isNewer(newest, current),
  )
  const failed = sorted.filter(({ problem }) => problem !== undefined)
  if (failed.length > 0 && failed.length === sorted.length) {
    throw new Error(`The newest versions are unknown: ${failed[0]?.problem}.`)
  }
  const left = dependencies.length - answers.length
  const notes = [
    ...(left > 0 ? [`${left} more were not asked about.`] : []),
    ...failed
      .slice(0, 10)
      .map(({ name, problem }) => `${name}: unknown, because ${cleanLine(problem ?? '', 200)}`),
    ...unknown.slice(0, 10).map(({ name, reason }) => `${name}: unknown, because ${reason}`),
  ]
  const lines = outdated.map(({ name, current, newest }) => `${name} ${current} -> ${newest}`)
  const head = `${lines.length} of ${answers.length} dependencies (${manager}) have a newer version:`
  const text = lines.length === 0 && notes.length === 0 ? '' : [head, ...lines, ...notes].join('\n')
  return { text, facts: lines, isCut: left > 0 }
}

type Ask = (lookup: Lookup, registries: ManagerRegistries) => Promise<string | undefined>

interface OpenRegistry {
  readonly ask: Ask
  readonly registries: ManagerRegistries
}

async function openRegistry(registries: ManagerRegistries): Promise<OpenRegistry> {
  const { caFile, isStrictSsl, proxy = {} } = registries
  const ca = caFile === undefined ? undefined : await readFile(caFile, 'utf8')
  const options: UpstreamOptions = {
    tls: {
      rejectUnauthorized: isStrictSsl !== false,
      ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    },
    proxy: findProxy(proxy),
  }
  return { registries, ask: (lookup) => requestText(lookup, options) }
}

async function findNewest(
  { manager }: Dependencies,
  { name }: Dependency,
  { ask, registries }: OpenRegistry,
): Promise<Pick<Answer, 'newest' | 'problem'>> {
  const lookups = lookupsFor(manager, name, registries.routes)
  if (lookups.length === 0) return { problem: 'no registry of the operator answers for it' }
  try {
    for (const lookup of lookups) {
      const text = await ask(lookup, registries)
      const newest = text === undefined ? undefined : lookup.read(text)
      if (newest !== undefined) return { newest: cleanLine(newest, 60) }
    }
    return { problem: 'the registry names no version' }
  } catch {
    return { problem: 'the registry could not be reached' }
  }
}

/** Undefined: it does not have it. Redirects are not followed: they could lead anywhere. */
async function requestText(
  { url, accept, headers }: Lookup,
  options: UpstreamOptions,
): Promise<string | undefined> {
  const sent = { accept, 'accept-encoding': 'identity', 'user-agent': 'loopwright', ...headers }
  const response = await requestUpstream(url, { method: 'GET', headers: sent }, options)
  if (response.statusCode !== 200) {
    response.resume()
    return undefined
  }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax) {
      response.destroy()
      return undefined
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
