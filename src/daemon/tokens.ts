/**
 * Authorizes requests by their token. The token files are checked on every request, so a replaced token stops
 * working at once.
 */

import { timingSafeEqual } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { defined, LoopError } from '../loop/index.ts'
import type { Passed } from './guard.ts'
import { digestToken, namedTokensPath, readNamedTokens } from './named-tokens.ts'
import type { Log, Scope } from './parts.ts'
import { isToken, makeToken, readToken, tokenCharsMin, tokenPath } from './token-file.ts'

export interface Tokens {
  /** By the header `Authorization`, in constant time. */
  match(authorization: string | undefined): Passed | undefined
  /** The tokens that are valid now. */
  alive(): ReadonlySet<string>
  /** Values that must never be logged, including replaced tokens. */
  readonly secrets: () => readonly string[]
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
  const current = (): readonly Entry[] => [...kept.flatMap((one) => one() ?? []), ...named()]
  return {
    match(authorization) {
      const sent = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? ''
      const digest = digestToken(sent)
      let found: Entry | undefined
      // Compares with all tokens, so that the time does not depend on the result.
      for (const entry of current()) if (timingSafeEqual(entry.digest, digest)) found = entry
      if (found === undefined) return undefined
      known.add(sent)
      const { scope, id, name } = found
      return { scope, token: id, ...defined({ name }) }
    },
    alive: () => new Set(current().map(({ id }) => id)),
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
