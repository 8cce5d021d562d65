/** Navigation, the state of the connection, and the shortcuts of every page. */

import {
  Bell,
  BellOff,
  CalendarClock,
  CircleHelp,
  CirclePlay,
  GitMerge,
  Inbox,
  ListTree,
  type LucideIcon,
  Moon,
  Search,
  Server,
  Sun,
} from 'lucide-react'
import { type ReactElement, type ReactNode, useEffect, useState } from 'react'
import { Link as PageLink, useLocation } from 'wouter'
import { useConnection } from './connection.ts'
import { useLink, useLiveRuns } from './live.ts'
import { switchNotifications, useNotifications } from './notifications.ts'
import { Palette } from './palette.tsx'
import { useQuestions } from './queries.ts'
import { ShortcutHelp } from './shortcut-help.tsx'
import { useShortcuts } from './shortcuts.ts'
import { chooseTheme } from './theme.ts'

interface Entry {
  readonly path: string
  readonly name: string
  readonly icon: LucideIcon
  isActive(path: string): boolean
}

const entries: readonly Entry[] = [
  {
    path: '/',
    name: 'Needs you',
    icon: Inbox,
    isActive: (path) => path === '/' || path.startsWith('/questions'),
  },
  { path: '/runs', name: 'Runs', icon: ListTree, isActive: (path) => path.startsWith('/runs') },
  {
    path: '/loops',
    name: 'Loops',
    icon: CalendarClock,
    isActive: (path) => path === '/loops',
  },
  { path: '/start', name: 'Start', icon: CirclePlay, isActive: (path) => path === '/start' },
  {
    path: '/merges',
    name: 'Merges',
    icon: GitMerge,
    isActive: (path) => path === '/merges',
  },
  { path: '/machine', name: 'Machine', icon: Server, isActive: (path) => path === '/machine' },
]

export function Frame({ children }: { readonly children: ReactNode }): ReactElement {
  const [, go] = useLocation()
  useLiveRuns(go)
  const [open, setOpen] = useState<'palette' | 'help' | undefined>()
  useShortcuts({
    'Ctrl+k': () => setOpen('palette'),
    'Meta+k': () => setOpen('palette'),
    '?': () => setOpen('help'),
    'g n': () => go('/'),
    'g r': () => go('/runs'),
    'g l': () => go('/loops'),
    'g q': () => go('/merges'),
    'g m': () => go('/machine'),
    n: () => go('/start'),
  })
  return (
    <div className="grid h-full grid-rows-[1fr_auto] md:grid-cols-[12.5rem_1fr] md:grid-rows-1">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-20 focus:m-2 focus:rounded focus:bg-panel focus:p-2"
      >
        Skip to the content
      </a>
      <Navigation onPalette={() => setOpen('palette')} onHelp={() => setOpen('help')} />
      <main
        id="main"
        tabIndex={-1}
        className="order-1 min-h-0 overflow-y-auto outline-none md:order-2"
      >
        {children}
      </main>
      {open === 'palette' ? <Palette onClose={() => setOpen(undefined)} /> : null}
      {open === 'help' ? <ShortcutHelp onClose={() => setOpen(undefined)} /> : null}
    </div>
  )
}

interface NavigationProps {
  readonly onPalette: () => void
  readonly onHelp: () => void
}

function Navigation({ onPalette, onHelp }: NavigationProps): ReactElement {
  const [path] = useLocation()
  const { data } = useQuestions()
  const { session } = useConnection()
  const waiting = data?.items.length ?? 0
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Loopwright` : 'Loopwright'
  }, [waiting])
  return (
    <nav
      aria-label="Pages"
      className="order-2 flex border-line bg-panel max-md:justify-around max-md:border-t md:order-1 md:flex-col md:gap-0.5 md:border-r md:p-2"
    >
      <p className="hidden px-2 pt-1 pb-3 font-semibold md:block">Loopwright</p>
      {entries.map(({ path: to, name, icon: Icon, isActive }) => {
        const isCurrent = isActive(path)
        return (
          <PageLink
            key={to}
            href={to}
            aria-current={isCurrent ? 'page' : undefined}
            className={`relative flex items-center gap-2 rounded-md px-2 py-1.5 max-md:flex-col max-md:gap-0 max-md:px-2 max-md:text-xs ${isCurrent ? 'bg-accent-soft font-medium text-accent' : 'hover:bg-sunken'}`}
          >
            <Icon size={17} aria-hidden />
            <span>{name}</span>
            {to === '/' && waiting > 0 ? (
              <span className="rounded-full bg-warn-soft px-1.5 text-xs font-semibold text-warn max-md:absolute max-md:top-0.5 max-md:right-1 md:ml-auto">
                {waiting}
              </span>
            ) : null}
          </PageLink>
        )
      })}
      <div className="flex flex-1 flex-col justify-end max-md:hidden">
        <NavButton icon={Search} name="Find" keys="Ctrl K" onClick={onPalette} />
        <NavButton icon={CircleHelp} name="Shortcuts" keys="?" onClick={onHelp} />
        <NotifyButton />
        <ThemeButton />
        <LinkState />
        <p className="truncate px-2 pt-1 text-xs text-muted">
          {session.name === undefined ? 'This machine' : `As ${session.name}`}
          {session.scope === 'read' ? ', read-only' : ''}
        </p>
      </div>
    </nav>
  )
}

interface NavButtonProps {
  readonly icon: LucideIcon
  readonly name: string
  readonly keys?: string
  readonly onClick: () => void
}

const NavButton = ({ icon: Icon, name, keys, onClick }: NavButtonProps): ReactElement => (
  <button
    type="button"
    onClick={onClick}
    className="flex items-center gap-2 rounded-md px-2 py-1.5 text-left text-muted hover:bg-sunken hover:text-text"
  >
    <Icon size={16} aria-hidden />
    {name}
    {keys === undefined ? null : <kbd className="ml-auto font-sans text-xs">{keys}</kbd>}
  </button>
)

function ThemeButton(): ReactElement {
  const [isDark, setIsDark] = useState(document.documentElement.dataset['theme'] === 'dark')
  const change = (): void => {
    chooseTheme(isDark ? 'light' : 'dark')
    setIsDark(!isDark)
  }
  return <NavButton icon={isDark ? Sun : Moon} name={isDark ? 'Light' : 'Dark'} onClick={change} />
}

function NotifyButton(): ReactElement | null {
  const isOn = useNotifications()
  const [problem, setProblem] = useState<string>()
  if (isOn === undefined) return null
  return (
    <>
      <NavButton
        icon={isOn ? BellOff : Bell}
        name={isOn ? 'Do not notify' : 'Notify me'}
        onClick={() => void switchNotifications().then(setProblem)}
      />
      {problem === undefined ? null : (
        <p role="alert" className="px-2 text-xs text-bad">
          {problem}
        </p>
      )}
    </>
  )
}

const links = {
  connecting: ['bg-muted', 'Connecting'],
  live: ['bg-good', 'Live'],
  paused: ['bg-muted', 'Paused while hidden'],
  lost: ['bg-bad', 'Daemon gone; retrying'],
} as const

function LinkState(): ReactElement {
  const { type } = useLink()
  const [tone, text] = links[type]
  return (
    <p role="status" className="flex items-center gap-2 px-2 pt-2 text-xs text-muted">
      <span className={`size-2 rounded-full ${tone}`} aria-hidden />
      {text}
    </p>
  )
}
