/** The page: connects the tab, then shows the dashboard. It refuses to run inside another page. */

import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { ClosedPage } from './app/closed-page.tsx'
import { openSession } from './app/session.ts'
import { applyTheme } from './app/theme.ts'

const place = document.getElementById('app')
applyTheme()
if (place !== null && window.top === window.self) {
  const session = await openSession()
  const page = createRoot(place, {
    onUncaughtError(error) {
      reportError(error)
      page.render(<ClosedPage why="broken" />)
    },
  })
  page.render(<App session={session} />)
}
