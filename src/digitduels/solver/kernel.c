/* Fills the table of a compiled game in WebAssembly. `make wasm` builds it for codes of 8 and of 16 bits.

   It knows no game. wasm.py lays out the memory: a `game`, the maps of compiled.py, room for what `prepare` writes, and
   the table. The codes are those of kernels.py. TILE codes after the last one can be read, but mean nothing. */

#include <stdint.h>

typedef CODE code; /* uint8_t or uint16_t */

enum { TILE = 64, SQUARE = 16 };
typedef code lanes __attribute__((vector_size(TILE * sizeof(code)), aligned(1)));
typedef code square __attribute__((vector_size(SQUARE * sizeof(code)), aligned(1)));

typedef struct {
    uint32_t to;  /* the mover's hand after the move */
    uint32_t map; /* the row of `maps` that says what it does to the other hand; 0 changes nothing */
} step;

typedef struct {
    uint32_t hands, moves, takes, digits, base, ranks, low, high, top;
    const int32_t *own;      /* [move, hand]: as in compiled.py */
    const uint32_t *kind;    /* [move]: its take */
    const uint32_t *map;     /* [move]: its map */
    const uint32_t *maps;    /* [map, hand] */
    const uint32_t *needs;   /* [take, digit] */
    const uint32_t *deltas;  /* [take]: by how much it lowers the index of the pool */
    const uint32_t *stuck;   /* [hand]: 1 more than the code of a position in which it has no move, or 0 */
    const uint32_t *edges;   /* [rank]: its first hand; the number of hands comes last */
    const uint32_t *scores;  /* [hand]: the index of its final score */
    step *steps;             /* at most one for each move and hand */
    uint32_t *starts;        /* [take, hand]: its first step */
    code *endings;           /* [take, hand]: the best code with which a move ends the game at once */
    code *codes;             /* [table, hand of the waiting player, hand of the player to move] */
} game;

enum { WON = -2, DRAWN = -3 };

static code tile[TILE * TILE], turned[TILE * TILE], ended[TILE], mapped[TILE];

static inline uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Groups the moves by what they take and by hand, without those that lead to the same positions. */
__attribute__((export_name("prepare"))) void prepare(const game *g) {
    step *next = g->steps;
    for (uint32_t take = 0; take < g->takes; take++) {
        for (uint32_t hand = 0; hand < g->hands; hand++) {
            uint32_t at = take * g->hands + hand;
            step *first = next;
            code best = 0;
            for (uint32_t move = 0; move < g->moves; move++) {
                int32_t to = g->own[move * g->hands + hand];
                if (g->kind[move] != take) continue;
                if (to == WON) best = g->top;
                if (to == DRAWN && best < g->low) best = g->low;
                if (to < 0) continue;
                step *same = first;
                while (same < next && (same->to != (uint32_t)to || same->map != g->map[move])) same++;
                if (same == next) *next++ = (step){to, g->map[move]};
            }
            g->starts[at] = first - g->steps;
            g->starts[at + 1] = next - g->steps;
            g->endings[at] = best;
        }
    }
}

/* Transposes a square between two tiles: interleaving row n with row n + 8 four times turns rows into columns. */
static inline void turn(code *into, const code *from) {
    square rows[SQUARE], woven[SQUARE];
    for (int n = 0; n < SQUARE; n++) rows[n] = *(const square *)(from + n * TILE);
    for (int round = 0; round < 4; round++) {
        for (int n = 0; n < SQUARE / 2; n++) {
            square a = rows[n], b = rows[n + SQUARE / 2];
            woven[2 * n] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            woven[2 * n + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        }
        for (int n = 0; n < SQUARE; n++) rows[n] = woven[n];
    }
    for (int n = 0; n < SQUARE; n++) *(square *)(into + n * TILE) = rows[n];
}

/* Fills a part of a board: some hands of the mover, at most TILE, by some of the waiting player, at most TILE.
   `held` says how many of each number the pool holds. Returns 0 if no move can take anything from it. */
__attribute__((noinline)) static int fill_tile(const game *g, uint32_t table, const uint32_t *held, uint32_t h0, uint32_t tall, uint32_t o0,
                     uint32_t broad) {
    uint32_t hands = g->hands, board = hands * hands;
    int free = 0;
    for (uint32_t h = 0; h < TILE; h++) {
        ended[h] = 0;
        *(lanes *)(tile + h * TILE) = (lanes){0};
    }
    for (uint32_t take = 0; take < g->takes; take++) {
        const uint32_t *need = g->needs + take * g->digits;
        uint32_t digit = 0;
        while (digit < g->digits && need[digit] <= held[digit]) digit++;
        if (digit < g->digits) continue;
        free = 1;
        const code *there = g->codes + (table - g->deltas[take]) * board;
        for (uint32_t h = 0; h < tall; h++) {
            uint32_t at = take * hands + h0 + h;
            code *row = tile + h * TILE;
            lanes best = *(lanes *)row;
            if (g->endings[at] > ended[h]) ended[h] = g->endings[at];
            for (const step *move = g->steps + g->starts[at], *end = g->steps + g->starts[at + 1]; move < end; move++) {
                const code *source = there + move->to * hands;
                const uint32_t *map = g->maps + move->map * hands + o0;
                if (move->map)
                    for (uint32_t o = 0; o < broad; o++) mapped[o] = source[map[o]];
                best = __builtin_elementwise_max(best, *(const lanes *)(move->map ? mapped : source + o0));
            }
            *(lanes *)row = best;
        }
    }
    if (!free) return 0;
    code low = g->low, high = g->high, top = g->top;
    for (uint32_t h = 0; h < tall; h++) {
        /* Add a ply and change the point of view. */
        for (code *at = tile + h * TILE, *end = at + TILE; at < end; at++) {
            code best = *at > ended[h] ? *at : ended[h];
            *at = best >= high ? top - best + 1 : best < low ? top - best - 1 : best + 1;
            if (g->stuck[h0 + h]) *at = g->stuck[h0 + h] - 1;
        }
    }
    for (uint32_t h = 0; h < tall; h += SQUARE)
        for (uint32_t o = 0; o < broad; o += SQUARE) turn(turned + o * TILE + h, tile + h * TILE + o);
    code *into = g->codes + table * board + o0 * hands + h0;
    for (uint32_t o = 0; o < broad; o++, into += hands) {
        /* Copying a whole row may overwrite the next one, which is filled next, but must not pass the last one. */
        if (tall == TILE || (tall == hands && (broad - o) * hands >= TILE)) *(lanes *)into = *(lanes *)(turned + o * TILE);
        else
            for (uint32_t h = 0; h < tall; h++) into[h] = turned[o * TILE + h];
    }
    return 1;
}

/* Fills the board of a table without moves, if the final score decides: with these codes for a waiting player with an
   equal, a higher and a lower score. */
__attribute__((export_name("finish"))) void finish(const game *g, uint32_t table, uint32_t equal, uint32_t higher,
                                                   uint32_t lower) {
    code *at = g->codes + table * g->hands * g->hands;
    for (const uint32_t *waiting = g->scores, *end = waiting + g->hands; waiting < end; waiting++)
        for (const uint32_t *moving = g->scores; moving < end; moving++)
            *at++ = *waiting == *moving ? equal : *waiting > *moving ? higher : lower;
}

/* Fills the boards of some tables, apart from those without moves. A move lowers the index of the table, or leaves the
   table unchanged and lowers the sum of the ranks of the two hands. */
__attribute__((export_name("fill"))) void fill(const game *g, uint32_t first, uint32_t last) {
    for (uint32_t table = first; table < last; table++) {
        uint32_t held[32], rest = table;
        for (uint32_t digit = 0; digit < g->digits; digit++, rest /= g->base) held[digit] = rest % g->base;
        for (uint32_t sum = 0; sum < 2 * g->ranks - 1; sum++) {
            for (uint32_t mine = sum < g->ranks ? 0 : sum - g->ranks + 1; mine < g->ranks && mine <= sum; mine++) {
                const uint32_t *movers = g->edges + mine, *waiters = g->edges + (sum - mine);
                for (uint32_t h = movers[0]; h < movers[1]; h += TILE)
                    for (uint32_t o = waiters[0]; o < waiters[1]; o += TILE)
                        if (!fill_tile(g, table, held, h, least(TILE, movers[1] - h), o, least(TILE, waiters[1] - o)))
                            goto next;
            }
        }
    next:;
    }
}

/* Adds to `totals` how many positions of some tables have each code, for the hands that are marked with 1. */
__attribute__((export_name("count"))) void count(const game *g, uint32_t first, uint32_t last, const uint8_t *movers,
                                                 const uint8_t *waiters, uint32_t *totals) {
    const code *at = g->codes + first * g->hands * g->hands;
    for (uint32_t table = first; table < last; table++)
        for (uint32_t o = 0; o < g->hands; o++)
            for (uint32_t h = 0; h < g->hands; h++, at++) totals[*at] += waiters[o] & movers[h];
}
