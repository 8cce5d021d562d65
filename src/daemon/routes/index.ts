/** What the daemon answers, behind the guard. */

import { Hono } from 'hono'
import type { DaemonParts } from '../parts.ts'

export function createRoutes(parts: DaemonParts): Hono {
  const app = new Hono()
  app.get('/health', (context) => context.json({ status: 'ok' }))
  app.get('/ready', (context) => {
    const isReady = parts.isReady()
    return context.json({ ready: isReady }, isReady ? 200 : 503)
  })
  return app
}
