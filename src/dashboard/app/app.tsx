/** The frame of the dashboard: connection, navigation, and the page that the address names. */

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { lazy, type ReactElement, Suspense, useCallback, useMemo, useState } from 'react'
import { Redirect, Route, Router, Switch } from 'wouter'
import { connectPage, isLoopError } from '../../client/browser.ts'
import { MachinePage } from '../pages/machine/machine-page.tsx'
import { NeedsPage } from '../pages/needs/needs-page.tsx'
import { RunPage } from '../pages/run/run-page.tsx'
import { RunsPage } from '../pages/runs/runs-page.tsx'
import { Empty } from '../parts/empty.tsx'
import { Loading } from '../parts/problem.tsx'
import { ClosedPage } from './closed-page.tsx'
import { type Connection, ConnectionContext } from './connection.ts'
import { Frame } from './frame.tsx'
import { forgetSession, type SessionState } from './session.ts'

/** Pages that are not opened first are loaded when they are. */
const LoopsPage = lazy(async () => ({
  default: (await import('../pages/loops/loops-page.tsx')).LoopsPage,
}))
const MergesPage = lazy(async () => ({
  default: (await import('../pages/merges/merges-page.tsx')).MergesPage,
}))
const StartPage = lazy(async () => ({
  default: (await import('../pages/start/start-page.tsx')).StartPage,
}))

const retriesMax = 2

const createQueries = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        // The stream says when something changed.
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        retry: (count, error) => count < retriesMax && isLoopError(error, 'not-available'),
      },
    },
  })

/** An address that someone mistyped, or cut. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export function App({ session: opened }: { readonly session: SessionState }): ReactElement {
  const [state, setState] = useState(opened)
  const queries = useMemo(createQueries, [])
  const end = useCallback(() => {
    forgetSession()
    setState({ type: 'closed', why: 'ended' })
  }, [])
  const connection = useMemo((): Connection | undefined => {
    if (state.type === 'closed') return undefined
    const { session } = state
    const client = connectPage(location.origin, session.token)
    return { client, session, canDecide: session.scope === 'write', end }
  }, [state, end])
  if (state.type === 'closed' || connection === undefined) {
    return <ClosedPage why={state.type === 'closed' ? state.why : 'none'} />
  }
  return (
    <ConnectionContext value={connection}>
      <QueryClientProvider client={queries}>
        <Router base="/ui">
          <Frame>
            <Suspense fallback={<Loading />}>
              <Switch>
                <Route path="/">{() => <NeedsPage />}</Route>
                <Route path="/questions/:run/*?">{({ run }) => <NeedsPage run={run} />}</Route>
                <Route path="/runs">{() => <RunsPage />}</Route>
                <Route path="/runs/:run/:tab?">
                  {({ run, tab }) => <RunPage run={decode(run)} tab={tab ?? 'overview'} />}
                </Route>
                <Route path="/loops">{() => <LoopsPage />}</Route>
                <Route path="/start">{() => <StartPage />}</Route>
                <Route path="/merges">{() => <MergesPage />}</Route>
                <Route path="/machine">{() => <MachinePage />}</Route>
                <Route path="/index.html">{() => <Redirect to="/" />}</Route>
                <Route>
                  {() => <Empty title="There is no such page." command="loopctl dashboard" />}
                </Route>
              </Switch>
            </Suspense>
          </Frame>
        </Router>
      </QueryClientProvider>
    </ConnectionContext>
  )
}
