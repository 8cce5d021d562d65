import { expect, test } from 'vitest'
import { afterStory } from '../../../test/after.ts'
import type { Host } from '../../host/host.ts'
import type { RunId } from '../../loop/index.ts'
import { createFeed } from './feed.ts'

test('a follower polls regularly, even without notifications', async () => {
  const journal = {
    watch: () => () => undefined,
    lastPosition: async () => 0,
    changedRuns: async () => ({ position: 0, runs: [] }),
    schedules: { changes: async () => 0 },
  } as unknown as Host['journal']
  const feed = createFeed({ journal }, { againMs: 5 })
  afterStory(() => feed.end())
  const run = 'r1' as RunId
  feed.follow(run)
  const { signal } = new AbortController()
  for (let times = 0; times < 3; times++) {
    const version = feed.version(run)
    await feed.changed(run, version, signal)
    expect(feed.version(run)).toBeGreaterThan(version)
  }
})
