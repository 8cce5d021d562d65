import type { Context } from 'hono'

/** Whether a client asked for a stream. A HEAD request gets none. */
export const wantsStream = ({ req }: Pick<Context, 'req'>): boolean =>
  req.method === 'GET' && /(^|,)\s*text\/event-stream\s*(;|,|$)/i.test(req.header('accept') ?? '')
