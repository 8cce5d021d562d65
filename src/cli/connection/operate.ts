/** Asks for an operation of a loop type: the daemon if one is there, else this process. */

import type { Command } from 'commander'
import type { Client } from '../../client/index.ts'

/** Starts no daemon. */
export async function withLookingClient<T>(
  program: Command,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const { reach } = await import('./reach.ts')
  const way = await reach(program, 'look')
  if (way.type === 'daemon') return use(way.client)
  const { openHere } = await import('./in-process.ts')
  const here = await openHere(program)
  try {
    return await use(here.client)
  } finally {
    await here.close()
  }
}
