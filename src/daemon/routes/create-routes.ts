/** The routes of the daemon. */

import type { DaemonParts } from '../parts.ts'
import { operationsOf } from './operations.ts'
import { type Routes, routesFor } from './routes-for.ts'

export const createRoutes = (parts: DaemonParts): Routes =>
  routesFor(parts, operationsOf(parts.host))
