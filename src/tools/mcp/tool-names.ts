/**
 * Names of a server's tools as models see them: `<server>__<tool>`, in the characters that all
 * providers allow.
 *
 * A name depends only on the set of tools, not on their order, so that a server cannot swap two
 * tools by listing them differently. If cleaning makes two names equal, the cleaned ones get part
 * of the hash of their original name. If cleaned names are still equal after that, which takes
 * intent, those tools get no name.
 */

import { createHash } from 'node:crypto'

const charsMax = 64
const digestChars = 6

/** By the names that the server uses. */
export function toolNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const isChanged = (tool: string, name: string): boolean => name !== `${server}__${tool}`
  const plain = new Map(tools.map((tool) => [tool, cleanName(server, tool)]))
  const isShared = findShared(plain)
  const names = new Map(
    [...plain].map(([tool, name]) => {
      return [tool, isChanged(tool, name) && isShared(name) ? withDigest(name, tool) : name]
    }),
  )
  const isStillShared = findShared(names)
  return new Map(
    [...names].filter(([tool, name]) => !(isChanged(tool, name) && isStillShared(name))),
  )
}

function findShared(names: ReadonlyMap<string, string>): (name: string) => boolean {
  const uses = new Map<string, number>()
  for (const name of names.values()) uses.set(name, (uses.get(name) ?? 0) + 1)
  return (name) => (uses.get(name) ?? 0) > 1
}

function cleanName(server: string, tool: string): string {
  const name = `${server}__${tool.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}`
  return name.length <= charsMax ? name : withDigest(name, tool)
}

function withDigest(name: string, tool: string): string {
  const digest = createHash('sha256').update(tool).digest('hex').slice(0, digestChars)
  return `${name.slice(0, charsMax - digestChars - 1)}_${digest}`
}
