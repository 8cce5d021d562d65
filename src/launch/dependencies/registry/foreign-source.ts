/**
 * A package from a git repository or from a URL outside the operator's registries. It is installed only after
 * the user approved exactly this URL with this commit or checksum.
 */

import { createHash } from 'node:crypto'
import { defined } from '../../../loop/index.ts'
import { registryUrl } from './registry-endpoint.ts'

export type ForeignSource = GitSource | AddressSource

export interface GitSource {
  readonly type: 'git'
  readonly name: string
  /** `https://…` or `ssh://…`, without credentials. */
  readonly url: string
  readonly commit: string
}

export interface AddressSource {
  readonly type: 'address'
  readonly name: string
  readonly url: string
  /** In the format of npm: `sha512-…`. Absent: the lockfile has none. */
  readonly integrity?: string
}

/** Undefined: it is not pinned, or cannot be fetched as data. */
export function parseForeign(
  name: string,
  source: string,
  integrity?: string,
): ForeignSource | undefined {
  const git = parseGit(source)
  if (git !== undefined) return { type: 'git', name, ...git }
  if (!/^https?:\/\//.test(source) || !URL.canParse(source)) return undefined
  const url = new URL(source)
  if (url.username !== '' || url.password !== '') return undefined
  // Yarn 1 appends the SHA-1 of an archive to its URL.
  const [, sha1] = /^#([0-9a-f]{40})$/.exec(url.hash) ?? []
  url.hash = ''
  const checksum =
    integrity ?? (sha1 && `sha1-${Buffer.from(sha1, 'hex').toString('base64')}`) ?? undefined
  return {
    type: 'address',
    name,
    url: url.href,
    ...defined({ integrity: checksum }),
  }
}

const hosts: Readonly<Record<string, string>> = {
  github: 'github.com',
  gitlab: 'gitlab.com',
  bitbucket: 'bitbucket.org',
}

function parseGit(source: string): Pick<GitSource, 'url' | 'commit'> | undefined {
  const [, address = '', commit] =
    /^(.*)#(?:commit=)?([0-9a-f]{40}|[0-9a-f]{64})$/.exec(source) ?? []
  if (commit === undefined) return undefined
  const [, host, path] = /^(github|gitlab|bitbucket):([\w.-]+\/[\w.-]+)$/.exec(address) ?? []
  if (host !== undefined) {
    return { url: `https://${hosts[host]}/${path?.replace(/\.git$/, '')}.git`, commit }
  }
  const scp = /^(?:git\+ssh:\/\/)?([\w.-]+)@([\w.-]+):(?!\d+\/)([^\s:]+)$/.exec(address)
  if (scp !== null) return { url: `ssh://${scp[1]}@${scp[2]}/${scp[3]}`, commit }
  const isGit =
    address.startsWith('git+') || address.endsWith('.git') || /^(git|ssh):/.test(address)
  const plain = address.replace(/^git\+/, '').replace(/^git:/, 'https:')
  if (!isGit || !/^(https|ssh):\/\/[\w.@:[\]-]+\/[^\s]+$/.test(plain)) return undefined
  if (!URL.canParse(plain)) return undefined
  const { password, username, protocol, hostname } = new URL(plain)
  const isLogin = password !== '' || (protocol === 'https:' && username !== '')
  return isLogin || hostname.startsWith('-') ? undefined : { url: plain, commit }
}

/** The id of an approval: the same text means the same content, as far as the lockfile pins it. */
export const sourceId = (source: ForeignSource): string =>
  source.type === 'git'
    ? `git+${source.url}#${source.commit}`
    : `${source.url}${source.integrity === undefined ? '' : `#${source.integrity}`}`

export function describeSource(source: ForeignSource): string {
  const unpinned = source.type === 'address' && source.integrity === undefined
  const note = unpinned ? ' (the lockfile has no checksum for it)' : ''
  return `${source.name} from ${sourceId(source)}${note}`
}

/** The name of the archive at the endpoint. */
export const sourceFile = (source: ForeignSource): string =>
  createHash('sha256').update(sourceId(source)).digest('hex').slice(0, 32)

/** The URL of the archive for a manager in the sandbox. */
export const sourceUrl = (source: ForeignSource): string =>
  `${registryUrl}approved/${sourceFile(source)}/${source.name.replace(/^.*\//, '')}.tgz`
