-- Inventory -----------------------------------------------------------------------------------

create table credentials (
    credential_id text primary key check (credential_id ~ '^[a-z0-9][a-z0-9_-]{0,63}$'),
    provider text not null default '',
    -- '-infinity': runs. A moment: goes on by itself then. 'infinity': a person must resume it.
    halted_until timestamptz not null default '-infinity',
    halt_code text,
    halted_at timestamptz,
    halt_generation bigint not null default 0,
    -- After a resume: how many items may still start before the probe is trusted. Null: no limit.
    resume_allowance integer check (resume_allowance >= 0),
    cooling_until timestamptz not null default '-infinity',
    breaker_failures integer not null default 0,
    breaker_items bigint[] not null default '{}',
    breaker_opened_at timestamptz,
    breaker_probe_until timestamptz,
    concurrency_limit integer check (concurrency_limit > 0),
    requests_per_minute integer check (requests_per_minute > 0),
    day_ceiling_micros bigint check (day_ceiling_micros >= 0),
    duplicate_allowance_micros bigint not null default 0 check (duplicate_allowance_micros >= 0),
    created_at timestamptz not null default now()
);

create table sites (
    site_id text primary key check (site_id ~ '^[a-z0-9][a-z0-9_-]{0,63}$'),
    name text not null,
    source_locale text not null,
    target_locales text[] not null check (cardinality(target_locales) > 0),
    credential_id text not null references credentials,
    judge_credential_id text not null references credentials,
    pivot_locale text,
    paused_until timestamptz not null default '-infinity',
    pause_reason text,
    turns_per_revision integer not null default 3 check (turns_per_revision between 1 and 10),
    pass_score numeric(4, 2) not null default 8.0 check (pass_score between 0 and 10),
    gate_severities jsonb not null default '{}',
    item_ceiling_micros bigint check (item_ceiling_micros >= 0),
    day_ceiling_micros bigint check (day_ceiling_micros >= 0),
    created_at timestamptz not null default now()
);

-- Columns that a claim or a lease renewal writes stand in no index and in no index predicate: such an
-- update stays in its page (HOT). fillfactor leaves the room for it.
create table items (
    item_id bigint generated always as identity primary key,
    site_id text not null references sites,
    page_id text not null check (page_id <> ''),
    field_name text not null check (field_name <> ''),
    target_locale text not null,
    source_locale text not null,
    text_format text not null default 'plain',
    label text not null default '',
    context jsonb not null default '{}',
    position integer not null default 0,
    source_text text not null,
    source_hash text not null check (source_hash ~ '^[0-9a-f]{64}$'),
    source_revision integer not null default 1 check (source_revision >= 1),
    is_active boolean not null default true,
    status text not null default 'missing' check (status in (
        'missing', 'stale', 'draft', 'needs_review', 'needs_credential', 'approved', 'published', 'rejected')),
    status_changed_at timestamptz not null default now(),
    -- +1 at every change that a reviewer could see; decisions name the one they were made on.
    version bigint not null default 1,
    attempt_count smallint not null default 0 check (attempt_count between 0 and 4),
    -- 'infinity': no more attempts by itself (a terminal code).
    next_attempt_at timestamptz not null default now(),
    lease_until timestamptz,
    worker_id uuid,
    claim_seq bigint not null default 0,
    -- The claim that last stored a paid answer: a lapsed lease with progress costs no attempt.
    progress_claim_seq bigint,
    claimed_hash text,
    claimed_revision integer,
    last_error_code text,
    last_attempt_at timestamptz,
    waiting_since timestamptz,
    unknown_count integer not null default 0,
    turns smallint not null default 0,
    turns_granted smallint not null default 3,
    person_note text not null default '',
    score numeric(4, 2) check (score between 0 and 10),
    reasons text[] not null default '{}',
    candidate_id bigint,
    approval_id bigint,
    created_at timestamptz not null default now(),
    deactivated_at timestamptz,
    unique (site_id, target_locale, page_id, field_name)
) with (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0
);
create index items_ready on items (site_id, next_attempt_at, page_id)
    where is_active and status in ('missing', 'stale');
create index items_listed on items (site_id, status, page_id, position, item_id) where is_active;

create function items_keep_order() returns trigger language plpgsql as $$
begin
    raise exception using errcode = 'DG001', message = 'claim_seq and source_revision only rise';
end $$;
create trigger items_only_rise before update on items for each row
    when (new.claim_seq < old.claim_seq or new.source_revision < old.source_revision)
    execute function items_keep_order();

create function items_check_move() returns trigger language plpgsql as $$
begin
    -- From any state a changed source leads to missing or stale; the rest is listed.
    if new.status in ('missing', 'stale') or (old.status, new.status) in (
        ('missing', 'draft'), ('missing', 'needs_review'), ('missing', 'needs_credential'),
        ('stale', 'draft'), ('stale', 'needs_review'), ('stale', 'needs_credential'),
        ('missing', 'approved'), ('stale', 'approved'), ('needs_credential', 'approved'),
        ('needs_credential', 'draft'), ('needs_credential', 'needs_review'),
        ('draft', 'approved'), ('needs_review', 'approved'), ('rejected', 'approved'), ('published', 'approved'),
        ('draft', 'rejected'), ('needs_review', 'rejected'), ('approved', 'rejected'),
        ('draft', 'needs_review'), ('needs_review', 'draft'), ('approved', 'draft'), ('rejected', 'draft'),
        ('approved', 'needs_review'), ('rejected', 'needs_review'), ('missing', 'rejected'), ('stale', 'rejected'),
        ('approved', 'published')
    ) then
        return new;
    end if;
    raise exception using errcode = 'DG002', message = 'no such move of an item';
end $$;
create trigger items_move before update of status on items for each row
    when (old.status is distinct from new.status) execute function items_check_move();

-- Words ---------------------------------------------------------------------------------------

create table glossaries (
    site_id text not null references sites,
    target_locale text not null,
    -- Made from the terms: the same terms are the same version.
    version text not null,
    forbidden_terms text[] not null default '{}',
    is_current boolean not null,
    person_id bigint,
    created_at timestamptz not null default now(),
    primary key (site_id, target_locale, version)
);
create unique index glossaries_current on glossaries (site_id, target_locale) where is_current;

create table glossary_terms (
    site_id text not null,
    target_locale text not null,
    version text not null,
    ordinal integer not null,
    source text not null,
    target text not null,
    do_not_translate boolean not null default false,
    accepted_forms text[] not null default '{}',
    forbidden_forms text[] not null default '{}',
    case_sensitive boolean not null default false,
    part_of_speech text not null default '',
    sense text not null default '',
    note text not null default '',
    primary key (site_id, target_locale, version, ordinal),
    foreign key (site_id, target_locale, version) references glossaries on delete cascade
);

-- The ledger ----------------------------------------------------------------------------------

create table calls (
    call_id uuid primary key,
    kind text not null check (kind in ('generate', 'judge', 'probe', 'try')),
    state text not null check (state in (
        'reserved', 'dispatched', 'refused', 'stored', 'applied', 'unused', 'unknown', 'written_off')),
    credential_id text not null references credentials,
    site_id text references sites,
    run_id uuid,
    claim_seq bigint,
    worker_id uuid,
    provider text not null default '',
    engine text not null default '',
    reserved_micros bigint not null check (reserved_micros >= 0),
    settled_micros bigint check (settled_micros >= 0),
    is_estimated boolean not null default false,
    is_rebuy boolean not null default false,
    -- Nothing of this credential can cost money; 0 reserved without it means that prices are missing.
    is_free boolean not null default false,
    input_tokens bigint,
    output_tokens bigint,
    provider_request_id text not null default '',
    provider_response_id text not null default '',
    boot_id text not null default '',
    outcome_code text,
    reserved_at timestamptz not null default now(),
    dispatched_at timestamptz,
    ended_at timestamptz,
    resolved_by text,
    check ((state in ('stored', 'applied', 'unused', 'written_off')) = (settled_micros is not null)),
    check ((state in ('reserved', 'dispatched', 'unknown')) = (ended_at is null))
);
create index calls_open on calls (credential_id, state) where state in ('reserved', 'dispatched', 'unknown');

create table call_parts (
    call_id uuid not null references calls on delete cascade,
    item_id bigint not null references items,
    source_revision integer not null,
    turn smallint not null,
    -- -1: the whole text (a judgment).
    segment integer not null,
    kind text not null,
    ordinal smallint not null default 1,
    is_open boolean not null default true,
    primary key (call_id, item_id, segment)
);
-- Buying the same part twice at the same time is impossible, whatever the code does.
create unique index call_parts_one_open on call_parts (item_id, source_revision, segment, turn, kind, ordinal)
    where is_open;
create index call_parts_item on call_parts (item_id, source_revision);

create function calls_close_parts() returns trigger language plpgsql as $$
begin
    update call_parts set is_open = false where call_id = new.call_id and is_open;
    return null;
end $$;
create trigger calls_end after update of state on calls for each row
    when (new.state not in ('reserved', 'dispatched', 'unknown')) execute function calls_close_parts();

create table budgets (
    budget_id bigint generated always as identity primary key,
    -- Locked in this order: item, run, site_day, credential_day.
    scope text not null check (scope in ('item', 'run', 'site_day', 'credential_day')),
    scope_key text not null,
    day date,
    held_micros bigint not null default 0 check (held_micros >= 0),
    spent_micros bigint not null default 0,
    unique nulls not distinct (scope, scope_key, day)
);

create table budget_entries (
    entry_id bigint generated always as identity primary key,
    budget_id bigint not null references budgets,
    call_id uuid not null references calls,
    kind text not null check (kind in ('reserve', 'release', 'settle', 'write_off', 'counter')),
    held_micros bigint not null,
    spent_micros bigint not null,
    entered_at timestamptz not null default now()
);
create index budget_entries_call on budget_entries (call_id);

create table credential_windows (
    credential_id text not null references credentials,
    window_at timestamptz not null,
    requests integer not null default 0,
    tokens bigint not null default 0,
    primary key (credential_id, window_at)
);

-- Turns, candidates, judgments ----------------------------------------------------------------

create table turns (
    item_id bigint not null references items,
    source_revision integer not null,
    turn smallint not null check (turn >= 1),
    credential_id text references credentials,
    judge_credential_id text references credentials,
    -- Of everything a generator is told; a deterministic engine is not asked the same twice.
    request_hash text not null,
    is_deterministic boolean not null default false,
    glossary_version text not null default '',
    provider text not null default '',
    previous_candidate_id bigint,
    person_note text not null default '',
    judge_worst_case_micros bigint not null default 0,
    is_free boolean not null default false,
    judge_is_free boolean not null default false,
    planned_at timestamptz not null default now(),
    primary key (item_id, source_revision, turn)
);

create table segments (
    item_id bigint not null,
    source_revision integer not null,
    turn smallint not null,
    ordinal integer not null,
    span_start integer not null,
    span_end integer not null check (span_end >= span_start),
    worst_case_micros bigint not null default 0,
    -- False: nothing in it can be translated; its text is the source's.
    needs_call boolean not null default true,
    text text,
    call_id uuid references calls,
    stored_at timestamptz,
    primary key (item_id, source_revision, turn, ordinal),
    foreign key (item_id, source_revision, turn) references turns on delete cascade
);

create table candidates (
    candidate_id bigint generated always as identity primary key,
    item_id bigint not null references items,
    source_revision integer not null,
    turn smallint not null,
    origin text not null check (origin in ('model', 'person', 'memory', 'import')),
    text text not null,
    text_hash text not null,
    provider text not null default '',
    engine text not null default '',
    glossary_version text not null default '',
    person_id bigint,
    based_on_candidate_id bigint references candidates,
    verdict text check (verdict in ('pass', 'fail', 'unscored')),
    score numeric(4, 2),
    reasons text[] not null default '{}',
    closed_at timestamptz,
    closed_reason text,
    apply_attempts smallint not null default 0,
    last_apply_at timestamptz,
    last_apply_error_code text,
    created_at timestamptz not null default now(),
    check (text_hash = encode(sha256(convert_to(
        replace(replace(text, E'\r\n', E'\n'), E'\r', E'\n'), 'UTF8')), 'hex')),
    unique (candidate_id, item_id)
);
create index candidates_item on candidates (item_id, candidate_id desc);
-- One machine candidate a turn: a crash after it was stored finds it again.
create unique index candidates_one_a_turn on candidates (item_id, source_revision, turn) where origin = 'model';
alter table items add foreign key (candidate_id, item_id) references candidates (candidate_id, item_id);

create table gates (
    candidate_id bigint not null references candidates on delete cascade,
    ordinal smallint not null,
    gate text not null,
    outcome text not null check (outcome in ('pass', 'fail', 'unsure', 'not_applicable')),
    severity text not null check (severity in ('hard', 'flag')),
    is_structural boolean not null default false,
    explanation text not null default '',
    evidence jsonb not null default '[]',
    primary key (candidate_id, ordinal)
);

create table judgments (
    judgment_id bigint generated always as identity primary key,
    candidate_id bigint not null references candidates on delete cascade,
    turn smallint not null,
    ordinal smallint not null default 1,
    call_id uuid references calls,
    judge text not null default '',
    is_offline_estimate boolean not null default false,
    rubric_version text not null,
    glossary_version text not null default '',
    verdict text not null check (verdict in ('pass', 'fail', 'unscored')),
    score numeric(4, 2),
    dimension_scores jsonb not null default '{}',
    reasons text[] not null default '{}',
    judged_sentences integer not null default 0,
    unjudged_sentences integer not null default 0,
    dropped_findings integer not null default 0,
    judged_at timestamptz not null default now(),
    unique (candidate_id, turn, ordinal)
);

create table findings (
    judgment_id bigint not null references judgments on delete cascade,
    ordinal smallint not null,
    dimension text not null,
    severity text not null check (severity in ('critical', 'major', 'minor', 'neutral')),
    source_quote text not null default '',
    target_quote text not null default '',
    reason text not null default '',
    fix text not null default '',
    source_start integer,
    source_end integer,
    candidate_start integer,
    candidate_end integer,
    primary key (judgment_id, ordinal)
);

-- People --------------------------------------------------------------------------------------

create table people (
    person_id bigint generated always as identity primary key,
    name text not null unique check (name <> ''),
    email text,
    password_hash text,
    totp_secret bytea,
    totp_last_step bigint,
    oidc_issuer text,
    oidc_subject text,
    disabled_at timestamptz,
    created_at timestamptz not null default now(),
    unique (oidc_issuer, oidc_subject)
);

create table roles (
    person_id bigint not null references people,
    -- '*': every site.
    site_id text not null,
    role text not null check (role in ('reviewer', 'publisher', 'operator', 'admin', 'service')),
    granted_at timestamptz not null default now(),
    granted_by bigint references people,
    primary key (person_id, site_id, role)
);

create table sessions (
    session_id bigint generated always as identity primary key,
    token_hash bytea not null unique,
    person_id bigint not null references people,
    created_at timestamptz not null default now(),
    last_seen_at timestamptz not null default now(),
    authenticated_at timestamptz not null default now(),
    expires_at timestamptz not null,
    ended_at timestamptz
);

create table sign_in_links (
    token_hash bytea primary key,
    -- Null: the first admin, who is made when the link is used.
    person_id bigint references people,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    used_at timestamptz
);

create table sign_in_failures (
    subject text primary key,
    failures integer not null,
    blocked_until timestamptz not null default '-infinity',
    last_failed_at timestamptz not null default now()
);

create table service_tokens (
    token_id bigint generated always as identity primary key,
    token_hash bytea not null unique,
    name text not null,
    created_by bigint references people,
    created_at timestamptz not null default now(),
    last_used_at timestamptz,
    expires_at timestamptz,
    revoked_at timestamptz
);

create table service_token_roles (
    token_id bigint not null references service_tokens,
    site_id text not null,
    role text not null check (role in ('reviewer', 'publisher', 'operator', 'admin', 'service')),
    primary key (token_id, site_id, role)
);

-- Decisions -----------------------------------------------------------------------------------

create table approvals (
    approval_id bigint generated always as identity primary key,
    item_id bigint not null references items,
    source_revision integer not null,
    source_hash text not null,
    source_text text not null,
    candidate_id bigint not null,
    text_hash text not null,
    glossary_version text not null default '',
    person_id bigint not null references people,
    override_reason text not null default '',
    overridden_gates text[] not null default '{}',
    note text not null default '',
    approved_at timestamptz not null default now(),
    revoked_at timestamptz,
    revoked_by bigint references people,
    foreign key (candidate_id, item_id) references candidates (candidate_id, item_id),
    unique (approval_id, item_id, text_hash)
);
create index approvals_source on approvals (source_hash, item_id) where revoked_at is null;
create index approvals_item on approvals (item_id);
alter table items add foreign key (approval_id) references approvals;

-- What the public may read. The database itself compares the hash with the approval's and with the text.
create table publications (
    publication_id bigint generated always as identity primary key,
    item_id bigint not null references items,
    approval_id bigint not null,
    source_revision integer not null,
    text text not null,
    text_hash text not null,
    person_id bigint not null references people,
    published_at timestamptz not null default now(),
    superseded_at timestamptz,
    foreign key (approval_id, item_id, text_hash) references approvals (approval_id, item_id, text_hash),
    check (text_hash = encode(sha256(convert_to(
        replace(replace(text, E'\r\n', E'\n'), E'\r', E'\n'), 'UTF8')), 'hex'))
);
create unique index publications_current on publications (item_id) where superseded_at is null;

create table memory_blocks (
    site_id text not null references sites,
    source_locale text not null,
    target_locale text not null,
    glossary_version text not null,
    source_hash text not null,
    text text not null,
    approval_id bigint not null references approvals,
    primary key (site_id, target_locale, source_hash, glossary_version, source_locale)
);

create table comments (
    comment_id bigint generated always as identity primary key,
    item_id bigint not null references items,
    person_id bigint not null references people,
    text text not null,
    created_at timestamptz not null default now()
);

create table item_log (
    log_id bigint generated always as identity primary key,
    item_id bigint not null references items,
    at timestamptz not null default now(),
    event text not null,
    from_status text,
    to_status text,
    actor text not null,
    person_id bigint references people,
    code text,
    note text not null default '',
    source_revision integer not null,
    turn smallint not null default 0,
    claim_seq bigint not null default 0,
    cost_micros bigint not null default 0
);
create index item_log_item on item_log (item_id, log_id desc);

create table audit_heads (
    site_id text primary key,
    ordinal bigint not null,
    row_hash bytea not null
);

create table audit (
    audit_id bigint generated always as identity primary key,
    site_id text not null,
    ordinal bigint not null,
    person_id bigint references people,
    token_id bigint references service_tokens,
    session_id bigint references sessions,
    role text not null,
    action text not null,
    object_kind text not null,
    object_id text not null,
    before_hash text not null default '',
    after_hash text not null default '',
    reason text not null default '',
    at timestamptz not null default clock_timestamp(),
    previous_hash bytea not null,
    row_hash bytea not null,
    unique (site_id, ordinal)
);

-- Each row carries the hash of the one before it on its site: a changed, removed or reordered row shows.
create function audit_chain() returns trigger language plpgsql as $$
declare head audit_heads;
begin
    insert into audit_heads values (new.site_id, 0, '\x') on conflict do nothing;
    select * into head from audit_heads where site_id = new.site_id for update;
    new.ordinal := head.ordinal + 1;
    new.previous_hash := head.row_hash;
    -- JSON, because no separator is safe: a reason may hold any character.
    new.row_hash := sha256(head.row_hash || convert_to(jsonb_build_array(
        new.site_id, new.ordinal, new.person_id, new.token_id, new.session_id, new.role, new.action,
        new.object_kind, new.object_id, new.before_hash, new.after_hash, new.reason,
        extract(epoch from new.at)::text)::text, 'UTF8'));
    update audit_heads set ordinal = new.ordinal, row_hash = new.row_hash where site_id = new.site_id;
    return new;
end $$;
create trigger audit_chained before insert on audit for each row execute function audit_chain();

create function audit_refuse() returns trigger language plpgsql as $$
begin
    raise exception using errcode = 'DG003', message = 'audit rows are only ever added';
end $$;
create trigger audit_append_only before update or delete on audit for each row execute function audit_refuse();
create trigger audit_never_emptied before truncate on audit execute function audit_refuse();

-- Tasks, runs, events, workers ----------------------------------------------------------------

create table tasks (
    task_id text primary key,
    description text not null,
    is_daily boolean not null,
    daily_at time,
    time_zone text not null default 'UTC',
    interval_seconds integer check (interval_seconds > 0),
    is_enabled boolean not null default true,
    last_run_at timestamptz,
    next_run_at timestamptz not null default now(),
    lease_until timestamptz,
    lease_seq bigint not null default 0,
    state jsonb not null default '{}',
    failures smallint not null default 0,
    last_error_code text,
    last_duration interval,
    check (is_daily = (daily_at is not null) and is_daily = (interval_seconds is null))
);

create table task_executions (
    task_id text not null references tasks,
    due_at timestamptz not null,
    local_date date,
    started_at timestamptz not null default now(),
    ended_at timestamptz,
    error_code text,
    counts jsonb not null default '{}',
    primary key (task_id, due_at)
);
create unique index task_executions_once_a_day on task_executions (task_id, local_date)
    where local_date is not null and error_code is null;

create table runs (
    run_id uuid primary key,
    site_id text not null references sites,
    request_id text not null,
    request_hash text not null,
    person_id bigint references people,
    token_id bigint references service_tokens,
    status text not null default 'accepted' check (status in (
        'accepted', 'preparing', 'running', 'paused', 'cancelled', 'finished')),
    pair_count bigint not null,
    next_pair bigint not null default 0,
    ceiling_micros bigint check (ceiling_micros >= 0),
    duplicate_allowance_micros bigint not null default 0,
    estimate_micros bigint,
    deadline_at timestamptz,
    created_at timestamptz not null default now(),
    ended_at timestamptz,
    unique (site_id, request_id)
);
alter table calls add foreign key (run_id) references runs;

create table run_pairs (
    run_id uuid not null references runs on delete cascade,
    ordinal bigint not null,
    page_id text not null,
    target_locale text not null,
    intake text check (intake in ('accepted', 'unchanged', 'in_work', 'protected', 'invalid')),
    error_code text,
    prepared_at timestamptz,
    primary key (run_id, ordinal)
);

create table run_items (
    run_id uuid not null references runs on delete cascade,
    item_id bigint not null references items,
    source_revision integer not null,
    primary key (run_id, item_id)
);
create index run_items_item on run_items (item_id);

create table outbox (
    event_id uuid primary key default gen_random_uuid(),
    site_id text not null references sites,
    item_id bigint references items,
    event_type text not null,
    -- Ids and codes, never content.
    payload jsonb not null,
    created_at timestamptz not null default now(),
    delivered_at timestamptz
);
create index outbox_waiting on outbox (created_at) where delivered_at is null;

create table event_endpoints (
    endpoint_id bigint generated always as identity primary key,
    site_id text not null references sites,
    sink text not null default 'webhook',
    url text not null,
    secret_names text[] not null default '{}',
    disabled_at timestamptz,
    created_at timestamptz not null default now()
);

create table event_deliveries (
    event_id uuid not null references outbox on delete cascade,
    endpoint_id bigint not null references event_endpoints,
    attempts smallint not null default 0,
    next_attempt_at timestamptz not null default now(),
    last_error_code text,
    delivered_at timestamptz,
    dead_at timestamptz,
    primary key (event_id, endpoint_id)
);

create table workers (
    worker_id uuid primary key,
    started_at timestamptz not null default now(),
    beat_at timestamptz not null default now(),
    held_items integer not null default 0,
    stopped_at timestamptz
);

-- What each missing or stale item waits for: derived here and nowhere else; the first that applies.
create view item_work as
select i.item_id, i.site_id, i.target_locale, i.field_name,
    coalesce(nullif(i.last_error_code, ''), 'Worker.Timeout') as error_code,
    case
        when i.lease_until > now() then 'running'
        when exists (select from call_parts p join calls c using (call_id)
                     where p.is_open and p.item_id = i.item_id and p.source_revision = i.source_revision
                       and c.state = 'unknown' and not c.is_free) then 'waiting_unknown'
        when i.next_attempt_at = 'infinity' or (i.attempt_count >= 4 and not (
             i.lease_until is not null and i.progress_claim_seq is not distinct from i.claim_seq)) then 'failed'
        when greatest(s.paused_until, g.halted_until, j.halted_until) > now() then 'paused'
        when i.last_error_code = 'Budget.Ceiling' then 'waiting_ceiling'
        when i.next_attempt_at > now() or greatest(g.cooling_until, j.cooling_until) > now()
             then 'waiting_to_retry'
        else 'ready'
    end as work_state
from items i
join sites s using (site_id)
join credentials g on g.credential_id = s.credential_id
join credentials j on j.credential_id = s.judge_credential_id
where i.is_active and i.status in ('missing', 'stale');
