#!/bin/bash
# Has a real Icinga Director, without its web server and on a throw-away PostgreSQL, import a basket and render it:
#   director.sh DIRECTORY BASKET    prints the configuration
set -euo pipefail
dir=$1 basket=$2
modules=/usr/share/icingaweb2/modules
postgresql=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)

as=() # PostgreSQL refuses to run as root
[[ $EUID -ne 0 ]] || as=(runuser -u postgres --)
database() { "${as[@]}" "$postgresql/psql" -qAt -v ON_ERROR_STOP=1 -h "$dir/pg" -U director "$@" </dev/null; }

mkdir -p "$dir"/pg "$dir"/web/modules/director "$dir"/web/enabledModules
chmod 755 "$dir"
[[ $EUID -ne 0 ]] || chown postgres "$dir/pg"
cd "$dir/pg"
"${as[@]}" "$postgresql/initdb" -D "$dir/pg/data" -A trust -U director -E UTF8 --no-sync >/dev/null
"${as[@]}" "$postgresql/pg_ctl" -D "$dir/pg/data" -w -l "$dir/pg/log" -o "-c listen_addresses='' -k $dir/pg -c fsync=off" start >/dev/null
trap '"${as[@]}" "$postgresql/pg_ctl" -D "$dir/pg/data" -m immediate stop >/dev/null' EXIT
database -d postgres -c 'CREATE DATABASE director'
database -d director -c 'CREATE EXTENSION pgcrypto'

cat >"$dir/web/resources.ini" <<-END
	[director]
	type = "db"
	db = "pgsql"
	host = "$dir/pg"
	port = "5432"
	dbname = "director"
	username = "director"
	password = "trusted"
	charset = "utf8"
END
printf '[global]\nconfig_backend = "db"\nconfig_resource = "director"\n[logging]\nlog = "none"\n' >"$dir/web/config.ini"
printf '[db]\nresource = "director"\n' >"$dir/web/modules/director/config.ini"
for module in director incubator reactbundle; do ln -s "$modules/$module" "$dir/web/enabledModules/$module"; done
export ICINGAWEB_CONFIGDIR="$dir/web"

icingacli director migration run >&2
icingacli director basket restore <"$basket" >&2
icingacli director config render >&2
database -d director -c 'SELECT content FROM director_generated_config_file f JOIN director_generated_file c ON c.checksum = f.file_checksum'
