/**
 * Authorizes requests by their token. The token files are checked on every request, so a replaced token stops
 * working at once.
 */

import { timingSafeEqual } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { defined, LoopError } from '../loop/index.ts'
import { makeSessionToken, readSessionToken } from './dashboard/session-token.ts'
import type { Passed } from './guard.ts'
import { digestToken, namedTokensPath, readNamedTokens } from './named-tokens.ts'
import type { Log, Scope } from './parts.ts'
import { isToken, makeToken, readToken, tokenCharsMin, tokenPath } from './token-file.ts'

export interface Tokens {
  /** By the header `Authorization`, in constant time. */
  match(authorization: string | undefined): Passed | undefined
  /** A token for a tab of a browser. It ends with the one that it is derived from, and with that of the daemon. */
  derive(token: string): SessionToken | undefined
  /** The tokens that are valid now. */
  alive(): ReadonlySet<string>
  /** Values that must never be logged, including replaced tokens. */
  readonly secrets: () => readonly string[]
}

export interface SessionToken extends Pick<Passed, 'name'> {
  readonly token: string
  readonly scope: Scope
}

export interface TokensOptions {
  /** The state folder. */
  readonly state: string
  /** `LOOPD_AUTH_TOKEN`, which overrides the file. */
  readonly given?: string | undefined
}

export function openTokens({ state, given }: TokensOptions, log: Log): Tokens {
  if (given !== undefined && !isToken(given)) {
    throw new LoopError(
      'bad-request',
      `LOOPD_AUTH_TOKEN must have ${tokenCharsMin} or more characters of A-Z a-z 0-9 . _ ~ + / - . ` +
        'Make one with: openssl rand -hex 32',
    )
  }
  const known = new Set<string>()
  const toEntry = (token: string, scope: Scope): Entry => {
    known.add(token)
    return { id: token, digest: digestToken(token), scope }
  }
  const kept = [
    given === undefined
      ? keepFile(tokenPath(state, 'write'), (token) => toEntry(token, 'write'), log)
      : fixed(toEntry(given, 'write')),
    keepFile(tokenPath(state, 'read'), (token) => toEntry(token, 'read'), log),
  ]
  const named = keepNamed(state, log)
  const readOwn = (): Entry | undefined => kept[0]?.()
  const current = (): readonly Entry[] => [...kept.flatMap((one) => one() ?? []), ...named()]
  /** Identifies all tokens that are derived from an entry, as long as the daemon has this token. */
  const sessionId = (own: Entry, { id }: Entry): string => `${own.id} session ${id}`
  const findDerived = (sent: string): Entry | undefined => {
    const own = readOwn()
    const digest = own && readSessionToken(own.id, sent)
    const from = digest && current().find((entry) => entry.digest.equals(digest))
    return own && from && { ...from, id: sessionId(own, from) }
  }
  return {
    match(authorization) {
      const sent = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? ''
      const digest = digestToken(sent)
      let found: Entry | undefined
      // Compares with all tokens, so that the time does not depend on the result.
      for (const entry of current()) if (timingSafeEqual(entry.digest, digest)) found = entry
      found ??= findDerived(sent)
      if (found === undefined) return undefined
      known.add(sent)
      const { scope, id, name } = found
      return { scope, token: id, ...defined({ name }) }
    },
    derive(token) {
      const own = readOwn()
      if (own === undefined) return undefined
      const from = current().find((one) => one.id === token || sessionId(own, one) === token)
      if (from === undefined) return undefined
      const { scope, name, digest } = from
      return { token: makeSessionToken(own.id, digest), scope, ...defined({ name }) }
    },
    alive() {
      const own = readOwn()
      const ids = current().flatMap((one) => (own ? [one.id, sessionId(own, one)] : [one.id]))
      return new Set(ids)
    },
    secrets: () => [...known],
  }
}

interface Entry {
  /** The token, or what stands for it if only its digest is known. */
  readonly id: string
  readonly digest: Buffer
  readonly scope: Scope
  /** The person that it belongs to. */
  readonly name?: string
}

const fixed = (entry: Entry) => (): Entry => entry

/** Reads the file again if it was replaced or changed. */
function keepFile(
  path: string,
  toEntry: (token: string) => Entry,
  log: Log,
): () => Entry | undefined {
  let entry: Entry | undefined = toEntry(makeToken(path))
  let seen = lookAt(path)
  return () => {
    const now = lookAt(path)
    if (now === seen) return entry
    seen = now
    try {
      entry = toEntry(readToken(path))
      log.info({ path }, 'the token was replaced')
    } catch (error) {
      entry = undefined
      log.error({ path, error }, 'cannot read the token file')
    }
    return entry
  }
}

/** The personal tokens, read again if their file was replaced. */
function keepNamed(state: string, log: Log): () => readonly Entry[] {
  const path = namedTokensPath(state)
  let seen: string | undefined
  let entries: readonly Entry[] = []
  return () => {
    const now = lookAt(path)
    if (now === seen) return entries
    seen = now
    try {
      entries = readNamedTokens(state).map(({ name, scope, digest }) => ({
        id: `named ${digest}`,
        digest: Buffer.from(digest, 'hex'),
        scope,
        name,
      }))
    } catch (error) {
      entries = []
      log.error({ path, error }, 'cannot read the token file')
    }
    return entries
  }
}

function lookAt(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false, bigint: true })
  if (found === undefined) return ''
  return [
    found.dev,
    found.ino,
    found.mode,
    found.uid,
    found.size,
    found.mtimeNs,
    found.ctimeNs,
  ].join()
}
