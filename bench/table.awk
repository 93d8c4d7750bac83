# Makes a table, or JSON, of lines with row, contestant and result: the median and the
# best of each, and the ratio of Musubi to each, below 1 where Musubi is faster.

{
	if (!($1 in known)) {
		known[$1] = 1
		rows[++count] = $1
	}
	n = ++number[$1, $2]
	value[$1, $2, n] = $3
}

END {
	peers = split(contestants, names, " ")
	if (json)
		write_json()
	else {
		write_table("median")
		write_table("best")
	}
	exit is_incomplete()
}

# is_incomplete says what Musubi has not done.
function is_incomplete(    i, missing) {
	for (i = 1; i <= count; i++)
		if (!number[rows[i], "musubi"]) {
			print "compare: musubi has no result for " rows[i] > "/dev/stderr"
			missing = 1
		}
	return missing
}

# is_rate says whether more is better.
function is_rate(row) { return row ~ /^(bw|rate|overlap) / }

function unit(row) {
	if (row ~ /^bw /) return "MB/s"
	if (row ~ /^rate /) return "million/s"
	if (row ~ /^overlap /) return "%"
	return "us"
}

# sorted fills list with the results of a contestant, the fastest first.
function sorted(row, name, list,    i, j, n, v) {
	n = number[row, name]
	for (i = 1; i <= n; i++) {
		v = value[row, name, i]
		for (j = i - 1; j > 0 && (is_rate(row) ? list[j] < v : list[j] > v); j--)
			list[j + 1] = list[j]
		list[j + 1] = v
	}
	return n
}

function statistic(which, row, name,    n, list) {
	n = sorted(row, name, list)
	if (n == 0) return ""
	if (which == "best") return list[1]
	return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

# ratio is how long Musubi takes, as a share of another one.
function ratio(row, mine, other) {
	if (mine + 0 == 0 || other + 0 == 0 || row ~ /^overlap /) return ""
	return sprintf("%.2f", is_rate(row) ? other / mine : mine / other)
}

function digits(v) { return v >= 100 ? sprintf("%.0f", v) : v >= 10 ? sprintf("%.1f", v) : sprintf("%.3f", v) }

function write_table(which,    i, j, mine, other) {
	printf "%s%s of each, and Musubi's time as a share of it\n\n", which == "best" ? "\n" : "", which == "best" ? "Best" : "Median"
	printf "%-26s %-9s", "", "unit"
	for (j = 1; j <= peers; j++)
		printf names[j] == "musubi" ? " %9s" : " %16s", names[j]
	print ""
	for (i = 1; i <= count; i++) {
		printf "%-26s %-9s", rows[i], unit(rows[i])
		mine = statistic(which, rows[i], "musubi")
		for (j = 1; j <= peers; j++) {
			other = statistic(which, rows[i], names[j])
			if (names[j] == "musubi")
				printf " %9s", other == "" ? "-" : digits(other)
			else if (other == "")
				printf " %16s", "-"
			else
				printf " %9s (%4s)", digits(other), ratio(rows[i], mine, other)
		}
		print ""
	}
}

function write_json(    i, j, separator, mine, v) {
	print "["
	for (i = 1; i <= count; i++)
		for (j = 1; j <= peers; j++) {
			if (!number[rows[i], names[j]]) continue
			printf "%s {\"row\":\"%s\",\"unit\":\"%s\",\"contestant\":\"%s\",\"repeats\":%d,\"median\":%s,\"best\":%s", separator,
				rows[i], unit(rows[i]), names[j], number[rows[i], names[j]], statistic("median", rows[i], names[j]), statistic("best", rows[i], names[j])
			mine = statistic("median", rows[i], "musubi")
			v = ratio(rows[i], mine, statistic("median", rows[i], names[j]))
			if (v != "" && names[j] != "musubi")
				printf ",\"musubi_share\":%s", v
			printf "}"
			separator = ",\n"
		}
	print "\n]"
}
