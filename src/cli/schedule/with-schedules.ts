/** The schedules of the daemon if one answers, else of the state folder. */

import type { Command } from 'commander'
import type { Client } from '../../client/index.ts'
import { reach } from '../connection/reach.ts'
import { openSession, type Session } from '../session.ts'

interface Scene {
  readonly client: Client
  readonly session: Session
  print: Session['print']
}

/** `drive`: starts a daemon if there is none. */
export async function withSchedules(
  program: Command,
  work: (scene: Scene) => Promise<void>,
  need: 'look' | 'drive' = 'look',
  beforeStart?: () => Promise<void>,
): Promise<void> {
  const session = openSession(program)
  const { print } = session
  const way = await reach(program, need, beforeStart)
  if (way.type === 'daemon') return work({ client: way.client, session, print })
  const { openHere } = await import('../connection/in-process.ts')
  const here = await openHere(program)
  try {
    await work({ client: here.client, session, print })
  } finally {
    await here.close()
  }
}
