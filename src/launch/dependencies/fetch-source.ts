/**
 * Fetches an approved package from git or from a URL, outside the sandbox and as data only.
 *
 * 1. No credentials are sent to a URL; a repository is fetched with the operator's git login.
 * 2. A URL must be on the public internet: names and redirects that lead to this machine or its private
 *    network are refused, at connection time.
 * 3. An archive whose checksum differs from the lockfile is not used.
 */

import { createHash } from 'node:crypto'
import { type LookupAddress, lookup } from 'node:dns'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Signal, textOf } from '../../loop/index.ts'
import { isPublicAddress } from '../../sandbox/index.ts'
import { fetchArchive } from '../../workspace/index.ts'
import {
  type AddressSource,
  describeSource,
  type ForeignSource,
  sourceFile,
} from './registry/foreign-source.ts'
import { requestUpstream, type UpstreamOptions } from './registry/request-upstream.ts'
import { createDependencyError } from './run-manager.ts'

export interface FetchSourceOptions extends Pick<UpstreamOptions, 'tls' | 'proxy'> {
  /** Where archives are written. */
  readonly folder: string
  readonly signal: Signal
  /** Default: public IP addresses. */
  readonly isAllowed?: (address: string) => boolean
}

const redirectsMax = 5
const bytesMax = 512 * 1024 * 1024

/** Returns the path of its archive. */
export async function fetchSource(
  source: ForeignSource,
  options: FetchSourceOptions,
): Promise<string> {
  try {
    await mkdir(options.folder, { recursive: true })
    return source.type === 'git'
      ? await fetchArchive({
          urls: toGitUrls(source.url),
          commit: source.commit,
          folder: await mkdtemp(join(options.folder, 'git-')),
          prefix: 'package',
          signal: options.signal,
        })
      : await download(source, options)
  } catch (error) {
    options.signal.throwIfAborted()
    throw createDependencyError(
      `${describeSource(source)} could not be fetched: ${textOf(error)}. Make it available`,
    )
  }
}

/** npm writes ssh URLs for public repositories, which fail without a key, so HTTPS is tried first. */
export function toGitUrls(url: string): readonly string[] {
  const { protocol, hostname, port, pathname } = new URL(url)
  return protocol === 'ssh:' && port === '' ? [`https://${hostname}${pathname}`, url] : [url]
}

async function download(source: AddressSource, options: FetchSourceOptions): Promise<string> {
  const { signal, folder, isAllowed = isPublicAddress } = options
  const upstream = { ...options, lookup: createLookup(isAllowed) }
  let url = new URL(source.url)
  for (let redirects = 0; ; redirects++) {
    requireAllowed(url, isAllowed)
    const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'loopwright' }
    const response = await requestUpstream(url, { method: 'GET', headers }, upstream)
    const { statusCode = 0 } = response
    if (statusCode === 200) {
      const path = join(folder, `${sourceFile(source)}.tgz`)
      try {
        await save(response, path, source.integrity, signal)
        return path
      } catch (error) {
        await rm(path, { force: true })
        throw error
      }
    }
    response.resume()
    const { location } = response.headers
    if (statusCode < 300 || statusCode >= 400 || location === undefined) {
      throw new Error(`${url.host} answered ${statusCode}`)
    }
    if (redirects >= redirectsMax) throw new Error('it redirects too often')
    url = new URL(location, url)
  }
}

/** An IP address in the URL is never looked up, so `createLookup` does not see it. */
function requireAllowed({ hostname }: URL, isAllowed: (address: string) => boolean): void {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(address) !== 0 && !isAllowed(address)) throw createNotPublicError(hostname)
}

const createNotPublicError = (host: string): Error =>
  new Error(
    `${host} is not on the public internet; packages inside your network must come from one of your registries`,
  )

function createLookup(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, [])
      const list: readonly LookupAddress[] = found
      const allowed = list.filter(({ address }) => isAllowed(address))
      const [first] = allowed
      if (first === undefined) return callback(createNotPublicError(hostname), [])
      return options.all === true
        ? callback(null, allowed)
        : callback(null, first.address, first.family)
    })
  }
}

async function save(
  response: IncomingMessage,
  path: string,
  integrity: string | undefined,
  signal: Signal,
): Promise<void> {
  const expected = parseIntegrity(integrity)
  const hash = createHash(expected?.algorithm ?? 'sha512')
  let bytes = 0
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      hash.update(chunk)
      if (bytes > bytesMax) done(new Error('it is too large'))
      else done(null, chunk)
    },
  })
  const stop = new AbortController()
  signal.addEventListener('abort', () => stop.abort(), { once: true })
  await pipeline(response, counting, createWriteStream(path, { mode: 0o600 }), {
    signal: stop.signal,
  })
  const digest = hash.digest('base64')
  if (expected !== undefined && digest !== expected.digest) {
    throw new Error(
      `its checksum is ${expected.algorithm}-${digest}, and the lockfile says ${integrity}`,
    )
  }
}

/** Uses the strongest of several; an unknown algorithm cannot be verified, so no content matches it. */
export function parseIntegrity(
  text: string | undefined,
): { readonly algorithm: string; readonly digest: string } | undefined {
  if (text === undefined) return undefined
  const all = text.split(/\s+/).map((one) => /^(sha512|sha384|sha256|sha1)-([^?]+)/.exec(one))
  for (const algorithm of ['sha512', 'sha384', 'sha256', 'sha1']) {
    const found = all.find((one) => one?.[1] === algorithm)
    if (found?.[2] !== undefined) return { algorithm, digest: found[2] }
  }
  return { algorithm: 'sha512', digest: '' }
}
